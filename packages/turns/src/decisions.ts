import { ConversationError, type Conversation } from '@conv/core';

import type { Taken } from './answer-run.ts';

/** Stores what a person decides about the calls that wait, one at a time, and tells when the run can go on. */
export class Decisions {
  readonly #conversation: Conversation;
  /** Decisions that a server takes only together. */
  readonly #held = new Map<string, boolean>();
  #isApproving = false;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** The ids of the actions without a decision. */
  get undecided(): readonly string[] {
    const { pendingActions, calls } = this.#conversation.state;
    return pendingActions.flatMap(({ id }) => (calls[id] === undefined || calls[id] === 'allowed' ? [id] : []));
  }

  /**
   * Approves or rejects an action, durably and at once. A server with `wholeDecisions` is told when all are decided, and then rejects
   * all if one was rejected. Resolves with what `answerRun` begins the run from, or with `undefined` while actions are left to
   * decide. Rejects `UNKNOWN_ACTION` for an action that was decided elsewhere.
   */
  async decide(actionId: string, isAllowed: boolean, reason?: string): Promise<Taken | undefined> {
    const { features } = this.#conversation;
    if (features.wholeDecisions === true) {
      const { undecided } = this;
      if (!undecided.includes(actionId)) throw decidedElsewhere(actionId);
      this.#held.set(actionId, isAllowed);
      const decisions = undecided.map((id) => this.#held.get(id));
      if (decisions.includes(undefined)) return undefined;
      const isAllAllowed = !decisions.includes(false);
      await (isAllAllowed ? this.#conversation.approve() : this.#conversation.reject(undefined, reason));
      return isAllAllowed ? 'approved' : 'decided';
    }
    await (isAllowed ? this.#conversation.approve([actionId]) : this.#conversation.reject([actionId], reason));
    this.#isApproving ||= isAllowed;
    const { executionStatus } = this.#conversation.state;
    if (executionStatus === 'waiting_for_confirmation' && this.undecided.length > 0) return undefined;
    const taken = this.#isApproving ? 'approved' : 'decided';
    this.#isApproving = false;
    return taken;
  }
}

function decidedElsewhere(actionId: string): ConversationError {
  const expected = 'expected an action that waits for a decision, listed in state.pendingActions';
  return new ConversationError('UNKNOWN_ACTION', `${expected}, found ${JSON.stringify(actionId)}; nothing was decided`);
}
