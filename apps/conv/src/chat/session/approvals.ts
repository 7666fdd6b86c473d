import type { Conversation, PendingAction } from '@conv/core';

import { callLines, decisionIn, type LogForm, NO_REASON, questionFor } from './call-question.ts';
import { approvalFor, approveAlways, kindOf, kindText, standingApprovals } from './standing-approvals.ts';

/** Dependencies of {@link Approvals}. */
export interface ApprovalsDeps {
  readonly conversation: Conversation;
  /** Returns the form of the log at this time. */
  readonly form: () => LogForm;
  /** Writes lines into the log. */
  readonly say: (...lines: readonly string[]) => void;
  /** Writes a short note into the log. */
  readonly note: (line: string) => void;
  /** Lets the agent go on, because all calls are decided. */
  readonly goOn: () => void;
}

/**
 * The questions about calls that wait for a person. The durable state says which calls wait, so a question comes back with the
 * conversation, and ends when another client has answered it.
 */
export class Approvals {
  readonly #deps: ApprovalsDeps;
  #asked: PendingAction | undefined;
  #question: string | undefined;
  /** Calls that this chat decided on since the agent stopped. */
  readonly #decided = new Set<string>();
  #work: Promise<void> = Promise.resolve();

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
  }

  /** The question that is open. */
  get question(): string | undefined {
    return this.#question;
  }

  /** Looks at the state: asks about the next call, or ends a question that has an answer. Resolves when that is on the screen. */
  update(): Promise<void> {
    return this.#inTurn(() => this.#look());
  }

  /** Takes an answer to the open question. Resolves when it is durable. Rejects as `approve` and `reject` of a conversation do. */
  answer(text: string): Promise<void> {
    return this.#inTurn(async () => {
      const action = this.#asked;
      if (action === undefined) return;
      const decision = decisionIn(text.trim());
      const kind = kindOf(action);
      if (decision === undefined || (decision === 'always' && kind === undefined)) {
        this.#refuse(text, kind !== undefined);
        return;
      }
      if (decision === 'always' && kind !== undefined) {
        await approveAlways(this.#deps.conversation, kind);
        this.#deps.note(`from now on ${kindText(kind)} run without a question here; /policy ends that`);
      }
      await this.#decide([action.id], decision === 'always' ? 'yes' : decision);
      await this.#look();
    });
  }

  /** Decides on all calls that wait. Resolves with their number when that is durable. */
  async decideAll(decision: 'approve' | 'reject', reason: string = NO_REASON): Promise<number> {
    let count = 0;
    await this.#inTurn(async () => {
      const ids = this.#undecided().map(({ id }) => id);
      count = ids.length;
      if (count === 0) return;
      await this.#decide(ids, decision === 'approve' ? 'yes' : { no: reason });
      await this.#look();
    });
    return count;
  }

  async #look(): Promise<void> {
    const { conversation, form, say } = this.#deps;
    const hadQuestion = this.#asked !== undefined;
    await this.#approveStanding();
    const rest = this.#undecided();
    const [next] = rest;
    if (next === undefined) {
      this.#asked = undefined;
      this.#question = undefined;
      // another client that decides lets the agent go on itself
      if (this.#decided.size > 0) this.#deps.goOn();
      else if (hadQuestion) this.#deps.note('answered elsewhere');
      this.#decided.clear();
      return;
    }
    const isKnown = this.#asked?.id === next.id;
    const of = conversation.state.pendingActions.length;
    this.#question = questionFor(next, { at: Math.max(1, of - rest.length + 1), of });
    this.#asked = next;
    if (!isKnown) say(...callLines(next, form()));
  }

  async #approveStanding(): Promise<void> {
    const kinds = standingApprovals(this.#deps.conversation);
    for (const action of this.#undecided()) {
      const kind = approvalFor(action, kinds);
      if (kind === undefined) continue;
      await this.#decide([action.id], 'yes');
      this.#deps.note(`approved, as you said for ${kindText(kind)}`);
    }
  }

  async #decide(ids: readonly string[], decision: 'yes' | { readonly no: string }): Promise<void> {
    const { conversation } = this.#deps;
    await (decision === 'yes' ? conversation.approve(ids) : conversation.reject(ids, decision.no));
    for (const id of ids) this.#decided.add(id);
  }

  /** The calls that wait for a person. The state of a server may tell of a decision later than its answer. */
  #undecided(): readonly PendingAction[] {
    const { state } = this.#deps.conversation;
    if (state.executionStatus !== 'waiting_for_confirmation') return [];
    return state.pendingActions.filter(({ id }) => state.calls[id] === undefined && !this.#decided.has(id));
  }

  #refuse(text: string, mayAlways: boolean): void {
    const answers = mayAlways ? 'y, n, n and a reason, or a' : 'y, n, or n and a reason';
    this.#deps.note(`expected ${answers}, found ${JSON.stringify(text)}; nothing was decided or sent`);
    if (!mayAlways && /^a(lways)?$/i.test(text.trim())) this.#deps.note('calls of high risk are always asked about');
  }

  /** Does work in turn, because two looks at once would ask twice. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }
}
