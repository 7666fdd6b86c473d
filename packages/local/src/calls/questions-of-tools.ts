import { abortable, type ConversationState } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';

import { seenBy } from '../safeguards/prompt-hooks.ts';

/** Returns the members of a session by which its tools ask other models about the conversation. */
export function questionsOfTools(state: ConversationState): Required<Pick<ToolSession, 'view' | 'askModel'>> {
  return {
    view: async () => (await state.condensableView(seenBy(state.fields))).events,
    askModel: async (ask, signal) => {
      const answer = await abortable(ask(), signal);
      // the call is paid for, also if the tool's call ends now
      await state.transaction((transaction) => transaction.record(answer.record));
      return answer;
    },
  };
}
