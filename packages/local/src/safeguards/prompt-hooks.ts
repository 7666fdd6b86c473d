import { textOf } from '../rules/enrich-message.ts';
import type { ConversationState, HookOutcome, StateFields } from '@conv/core';
import { type Event, type EventOfKind } from '@conv/core/events';

import { isUserMessage, newest } from './branch-tail.ts';
import { appendHookEvents, tellModel, type ConversationHooks } from './conversation-hooks.ts';

/** Reason of a blocked message when the hook gave none. */
const NO_REASON = 'A hook blocked the message.';

/**
 * Runs the hooks of the user's messages, which were stored before their hooks ran. No model sees a message before its hooks have
 * let it pass, and none ever sees a blocked message.
 */
export class PromptHooks {
  readonly #state: ConversationState;
  readonly #hooks: ConversationHooks;
  #looked: { readonly messageId: string | null } | undefined;

  constructor(state: ConversationState, hooks: ConversationHooks) {
    this.#state = state;
    this.#hooks = hooks;
  }

  /** True if there is a message to check, or the newest message may be blocked. */
  get due(): boolean {
    const { uncheckedMessages, blockedMessages, lastUserMessageId } = this.#state.fields;
    if (uncheckedMessages.length > 0) return true;
    return this.#looked?.messageId !== lastUserMessageId && Object.keys(blockedMessages).length > 0;
  }

  /**
   * Checks the new messages. Ends the run as finished when the newest message of the branch is blocked, because no message awaits
   * an answer then. Messages that come meanwhile are checked too, or the model would be asked without them.
   */
  async run(signal: AbortSignal): Promise<void> {
    const checked = new Set<string>();
    const next = (): string | undefined => this.#state.uncheckedMessages.find((id) => !checked.has(id));
    do {
      for (let id = next(); id !== undefined; id = next()) {
        checked.add(id);
        await this.#check(id, signal);
      }
      await this.#endIfBlocked();
    } while (next() !== undefined);
  }

  async #endIfBlocked(): Promise<void> {
    const { lastUserMessageId, leafEventId } = this.#state.fields;
    const message = await newest(this.#state.events, leafEventId, isUserMessage);
    const { blockedMessages } = this.#state.fields;
    this.#looked = { messageId: lastUserMessageId };
    if (!message || !Object.hasOwn(blockedMessages, message.id)) return;
    await this.#state.transaction((transaction) => {
      const { state } = transaction;
      if (state.executionStatus !== 'running' || state.lastUserMessageId !== lastUserMessageId) return;
      transaction.update({ set: { executionStatus: 'finished' } });
    });
  }

  async #check(id: string, signal: AbortSignal): Promise<void> {
    const message = await this.#state.events.get(id);
    // a queued message is checked when it is an event
    if (!message) return;
    const outcome = isUserMessage(message) && (await this.#ask(message, signal));
    await this.#state.transaction(async (transaction) => {
      const uncheckedMessages = transaction.state.uncheckedMessages.filter((unchecked) => unchecked !== id);
      transaction.update({ set: { uncheckedMessages } });
      if (!outcome) return;
      await appendHookEvents(transaction, outcome);
      if (outcome.blocked) transaction.update({ add: { blockedMessages: { [id]: outcome.reason ?? NO_REASON } } });
      else await tellModel(transaction, outcome.additionalContext, this.#state);
    });
  }

  /** Runs the hooks of a message; `undefined` when they were removed since. */
  async #ask(message: EventOfKind<'MessageEvent'>, signal: AbortSignal): Promise<HookOutcome | undefined> {
    if (!this.#hooks.handles('UserPromptSubmit')) return undefined;
    const occasion = { type: 'UserPromptSubmit', message: textOf(message), messageId: message.id } as const;
    return this.#hooks.run(occasion, signal);
  }
}

/**
 * Returns a filter of the events that a model may see: all but messages that hooks blocked or have not checked yet. Returns
 * `undefined` when the model may see all.
 */
export function seenBy({
  uncheckedMessages,
  blockedMessages,
}: Pick<StateFields, 'uncheckedMessages' | 'blockedMessages'>): ((event: Pick<Event, 'id'>) => boolean) | undefined {
  if (uncheckedMessages.length === 0 && Object.keys(blockedMessages).length === 0) return undefined;
  const hidden = new Set([...uncheckedMessages, ...Object.keys(blockedMessages)]);
  return ({ id }) => !hidden.has(id);
}
