import { abortable, ConversationError, type AgentSession, type AskResult, type ConversationState } from '@conv/core';

import { seenBy } from '../safeguards/prompt-hooks.ts';

/** Dependencies of {@link askOnTheSide}. */
export interface SideQuestionInput {
  readonly state: ConversationState;
  readonly session: () => Promise<AgentSession>;
}

/** As `Conversation.askAgent`; `signal` ends it. */
export async function askOnTheSide(
  { state, session }: SideQuestionInput,
  question: string,
  signal: AbortSignal,
): Promise<AskResult> {
  if (typeof question !== 'string' || question.trim() === '') {
    throw new ConversationError('INVALID_INPUT', 'a question must be text that is not blank', {
      conversationId: state.id,
    });
  }
  try {
    const asked = await abortable(session(), signal);
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
