import type { Conversation, PendingAction } from '@conv/core';
import { visibleText } from '@conv/visualize/text';
import { argumentsIn } from '@conv/visualize/timeline';
import { approvalFor, approveAlways, kindOf, kindText, standingApprovals } from '@conv/turns';

import {
  allQuestion,
  argumentsOf,
  callLines,
  decisionIn,
  type LogForm,
  NO_REASON,
  questionFor,
} from './call-question.ts';

const GONE = 'the call that you answered for waits no longer, so nothing was decided or sent; Up shows your line again';
const NEW = 'a call waits for your answer since you typed, so nothing was decided or sent; Up shows your line again';

/** Dependencies of {@link Approvals}. */
export interface ApprovalsDeps {
  readonly conversation: Conversation;
  /** Returns the form of the log at this time. */
  readonly form: () => LogForm;
  /** Writes lines into the log. */
  readonly say: (...lines: readonly string[]) => void;
  /** Writes a short note into the log. */
  readonly note: (line: string) => void;
  /** Lets the agent continue, because all calls are decided. */
  readonly goOn: () => void;
}

/**
 * The questions about calls that wait for a person. The durable state says which calls wait, so a question comes back with the
 * conversation, and ends when another client has answered it.
 */
export class Approvals {
  readonly #deps: ApprovalsDeps;
  /** The calls that the open question is about: one, or all where the conversation takes whole decisions alone. */
  #asked: readonly PendingAction[] = [];
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

  /** The ids of the calls that the open question is about. */
  get asked(): readonly string[] {
    return this.#asked.map(({ id }) => id);
  }

  /** Looks at the state: asks about the next call, or ends a question that has an answer. Resolves when that is on the screen. */
  update(): Promise<void> {
    return this.#inTurn(() => this.#look());
  }

  /**
   * Takes an answer that was typed when the question was about the calls `seen`: a person decides on no other call. Resolves when it is
   * durable. Rejects as `approve` and `reject` of a conversation do.
   */
  answer(text: string, seen: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      const [action, ...others] = this.#asked;
      if (action === undefined || seen.join() !== this.asked.join())
        return this.#deps.note(seen.length > 0 ? GONE : NEW);
      const decision = decisionIn(text.trim());
      const kind = others.length === 0 ? kindOf(action) : undefined;
      const isAlways = decision === 'always' || (typeof decision === 'object' && 'alwaysFor' in decision);
      if (decision === undefined || (isAlways && kind === undefined)) {
        this.#refuse(text, kind !== undefined);
        return;
      }
      if (isAlways && kind !== undefined) {
        await approveAlways(this.#deps.conversation, kind, decision === 'always' ? undefined : decision.alwaysFor);
        const since = decision === 'always' ? 'from now on' : `for ${text.trim().replace(/^\S+\s+/, '')}`;
        this.#deps.note(`${since} ${kindText(kind)} run without a question in this conversation; /policy ends that`);
      }
      if (typeof decision === 'object' && 'edit' in decision) return this.#edit(action, others.length, decision.edit);
      const ids = this.#asked.map(({ id }) => id);
      await this.#decide(ids, decision === 'yes' || isAlways ? 'yes' : decision);
      await this.#look();
    });
  }

  /** Approves a call with the arguments that a person typed; without any, shows those of the call. */
  async #edit(action: PendingAction, others: number, text: string): Promise<void> {
    const { conversation, note } = this.#deps;
    if (others > 0 || conversation.features.edits !== true)
      return note('the server of this conversation cannot change the arguments of a call; answer n and the change');
    if (text === '') return note(`type e and the changed arguments: e ${visibleText(argumentsOf(action))}`);
    const args = argumentsIn(text);
    if (!args) return note('expected e and the arguments as a JSON object; nothing was decided');
    await conversation.approve([action.id], { edits: { [action.id]: args } });
    this.#decided.add(action.id);
    await this.#look();
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
    const before = this.#asked;
    await this.#approveStanding();
    const rest = this.#undecided();
    const [next] = rest;
    if (next === undefined) {
      this.#asked = [];
      this.#question = undefined;
      // a client that decides lets the agent continue itself
      if (this.#decided.size > 0) this.#deps.goOn();
      else if (before.length > 0) this.#deps.note('answered elsewhere');
      this.#decided.clear();
      return;
    }
    this.#asked = conversation.features.wholeDecisions === true ? rest : [next];
    const count = this.#asked.length;
    this.#question = count > 1 ? allQuestion(count) : questionFor(next, rest.length - 1, this.#mayEdit);
    const added = this.#asked.filter(({ id }) => !before.some((action) => action.id === id));
    say(...added.flatMap((action) => callLines(action, form())));
  }

  async #approveStanding(): Promise<void> {
    const { conversation, note } = this.#deps;
    const kinds = standingApprovals(conversation);
    const undecided = this.#undecided();
    const covered = undecided.flatMap((action) => {
      const kind = approvalFor(action, kinds);
      return kind === undefined ? [] : [{ id: action.id, kind }];
    });
    if (covered.length === 0) return;
    if (conversation.features.wholeDecisions === true && covered.length < undecided.length) return;
    await this.#decide(
      covered.map(({ id }) => id),
      'yes',
    );
    for (const { kind } of covered) note(`approved, as you said for ${kindText(kind)}`);
  }

  async #decide(ids: readonly string[], decision: 'yes' | { readonly no: string }): Promise<void> {
    const { conversation } = this.#deps;
    await (decision === 'yes' ? conversation.approve(ids) : conversation.reject(ids, decision.no));
    for (const id of ids) this.#decided.add(id);
  }

  /** The calls that wait for a person. A server's state may show a decision later than the server's answer did. */
  #undecided(): readonly PendingAction[] {
    const { state } = this.#deps.conversation;
    if (state.executionStatus !== 'waiting_for_confirmation') return [];
    return state.pendingActions.filter(({ id }) => state.calls[id] === undefined && !this.#decided.has(id));
  }

  /** True if the arguments of the call that is asked about can be changed. */
  get #mayEdit(): boolean {
    return this.#asked.length === 1 && this.#deps.conversation.features.edits === true;
  }

  #refuse(text: string, mayAlways: boolean): void {
    const answers = ['y', 'n', 'n and a reason', ...(this.#mayEdit ? ['e'] : []), ...(mayAlways ? ['a'] : [])];
    const last = answers.pop() ?? '';
    this.#deps.note(
      `expected ${answers.join(', ')}, or ${last}, found ${JSON.stringify(text)}; nothing was decided or sent`,
    );
    if (!mayAlways && this.#asked.length === 1 && /^a(lways)?(\s|$)/i.test(text.trim()))
      this.#deps.note('calls of high risk and questions of other programs always need an answer');
  }

  /** Does work in turn, because two looks at once would ask twice. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }
}
