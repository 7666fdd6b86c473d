import { abortable, ConversationError, type AskResult } from '@conv/core';

import type { CommandDeps } from './command-deps.ts';
import { seenBy } from '../safeguards/prompt-hooks.ts';

/** As `Conversation.askAgent`. `given` and the end of the conversation abort it. */
export async function askOnTheSide(
  { state, session, lifetime }: CommandDeps,
  question: string,
  given: AbortSignal | undefined,
): Promise<AskResult> {
  const signal = given ? AbortSignal.any([lifetime.ended, given]) : lifetime.ended;
  if (typeof question !== 'string' || question.trim() === '') {
    const about = { conversationId: state.id };
    throw new ConversationError('INVALID_INPUT', 'a question must be text that is not blank', about);
  }
  try {
    const asked = await abortable(session.get(), signal);
    const { events: view } = await state.condensableView(seenBy(state.fields));
    signal.throwIfAborted();
    const answer = await abortable(asked.answer(state.mask.text(question), view, signal), signal);
    return { ...answer, text: state.mask.text(answer.text) };
  } catch (error) {
    // an abort passes through as it is
    if (signal.aborted && error === signal.reason) throw error;
    throw state.mask.error(error);
  }
}
