import { abortable, ConversationError, type AgentSession, type ConversationState, type HookSession } from '@conv/core';

/** Asks the agent's model on behalf of hooks; the cost counts as the conversation's. */
export function consulting(
  state: ConversationState,
  session: () => Promise<AgentSession>,
): NonNullable<HookSession['ask']> {
  return async (question, signal) => {
    const asked = await abortable(session(), signal);
    if (asked.consult === undefined)
      throw new ConversationError('UNSUPPORTED', 'the agent of this conversation answers no questions of hooks');
    const { text, record } = await abortable(asked.consult(question, signal), signal);
    await state.transaction(async (transaction) => transaction.record(record));
    return text;
  };
}
