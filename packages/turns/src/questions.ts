import { isConversationError, type Conversation } from '@conv/core';

import { checkConversation } from './check-arguments.ts';
import type { Taken } from './answer-run.ts';
import { Decisions } from './decisions.ts';
import { approvalFor, approveAlways, kindOf, standingApprovals, type CallKind } from './standing-approvals.ts';
import type { CallItem } from './turn-item.ts';

/** A question about a call that waits. */
export interface Question {
  readonly call: CallItem;
  /** The kind of call that can be allowed once for all in this conversation; `undefined` for a call of high risk. */
  readonly kind: CallKind | undefined;
  /** Withdraws the question. */
  readonly signal: AbortSignal;
}

/** The answer of a person to a question about a call. */
export interface Answer {
  readonly isAllowed: boolean;
  /** True to allow every call of this kind from now on. Default false. */
  readonly isAlways?: boolean;
  /** The reason of a rejection, which the model reads. */
  readonly reason?: string;
}

/** The work of a client that asks a person about calls. */
export interface Asker {
  /** Asks. Resolves with `undefined` if the person leaves the question without an answer. */
  readonly ask: (question: Question) => Promise<Answer | undefined>;
  /** Called when nothing is left to decide, with what `answerRun` begins the run from. */
  readonly onDecided: (taken: Taken) => void;
  /** Called when the person left a question without an answer. */
  readonly onDismissed: () => void;
  /** Called when a decision could not be asked for or stored. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Asks a person about the calls that wait, each once, and stores the answers: durably and at once, but together on servers with
 * `wholeDecisions`. Withdraws questions that were decided elsewhere. Calls with a standing approval run without a question.
 */
export class Questions {
  readonly #conversation: Conversation;
  readonly #asker: Asker;
  readonly #decisions: Decisions;
  readonly #asked = new Set<string>();
  readonly #open = new Map<string, AbortController>();

  constructor(conversation: Conversation, asker: Asker) {
    checkConversation('Questions', conversation);
    this.#conversation = conversation;
    this.#asker = asker;
    this.#decisions = new Decisions(conversation);
  }

  /** Asks about a call that waits, unless it was asked about before. */
  ask(call: CallItem): void {
    if (call.phase !== 'waiting' || this.#asked.has(call.actionId)) return;
    this.#asked.add(call.actionId);
    void this.#ask(call);
  }

  /** Withdraws the questions about calls that no longer wait, or every question. */
  withdraw(all: boolean = false): void {
    const undecided = new Set(all ? [] : this.#decisions.undecided);
    for (const [actionId, question] of this.#open) if (!undecided.has(actionId)) question.abort();
  }

  async #ask(call: CallItem): Promise<void> {
    const { actionId } = call;
    const { ask, onDecided, onDismissed, onFailure } = this.#asker;
    const question = new AbortController();
    this.#open.set(actionId, question);
    try {
      const action = this.#conversation.state.pendingActions.find(({ id }) => id === actionId);
      const kind = action && kindOf(action);
      const isStanding = action && approvalFor(action, standingApprovals(this.#conversation)) !== undefined;
      const answer = isStanding ? { isAllowed: true } : await ask({ call, kind, signal: question.signal });
      if (question.signal.aborted) return;
      if (!answer) return onDismissed();
      const others = answer.isAlways === true && kind ? await this.#allowAlways(kind, actionId) : [];
      for (const id of [actionId, ...others]) {
        const taken = await this.#decisions.decide(id, answer.isAllowed, answer.reason);
        if (taken) onDecided(taken);
      }
    } catch (error) {
      const isElsewhere = question.signal.aborted || isConversationError(error, 'UNKNOWN_ACTION');
      if (!isElsewhere) onFailure(error);
    } finally {
      this.#open.delete(actionId);
    }
  }

  /** Stores a standing approval. Resolves with the other open questions that it answers, which are withdrawn. */
  async #allowAlways(kind: CallKind, actionId: string): Promise<readonly string[]> {
    await approveAlways(this.#conversation, kind);
    const covered = this.#conversation.state.pendingActions.filter(
      (action) => action.id !== actionId && this.#open.has(action.id) && approvalFor(action, [kind]) !== undefined,
    );
    for (const { id } of covered) this.#open.get(id)?.abort();
    return covered.map(({ id }) => id);
  }
}
