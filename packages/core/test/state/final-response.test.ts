import { expect, test } from 'vitest';

import { action, agentMessage, environmentMessage, userMessage, type EventDraft } from '../../src/events/index.ts';
import { ConversationState } from '../../src/state/conversation-state.ts';

let count = 0;

function says(text: string): EventDraft {
  return agentMessage({ content: text, llm_response_id: `said-${++count}` });
}

function finishes(message: string, source: 'agent' | 'environment' = 'agent'): EventDraft {
  const id = `call-${++count}`;
  return {
    ...action({
      action: { message, kind: 'FinishAction' },
      tool_name: 'finish',
      tool_call_id: id,
      tool_call: { id, name: 'finish', arguments: JSON.stringify({ message }), origin: 'completion' },
      llm_response_id: `finished-${count}`,
    }),
    source,
  };
}

async function answerOf(...drafts: readonly EventDraft[]): Promise<string> {
  const state = new ConversationState();
  for (const draft of drafts) await state.append([draft]);
  return state.events.lastAnswer(state.leafEventId);
}

test('the answer is the message of the last finish call, whatever was said besides', async () => {
  expect(
    await answerOf(userMessage('Go'), says('Soon.'), finishes('First.'), userMessage('Go on'), finishes('Last.')),
  ).toBe('Last.');
  expect(await answerOf(userMessage('Go'), finishes('Done.'), says('And more.'))).toBe('Done.');
});

test('without a finish call it is what the agent said last, and without words nothing', async () => {
  expect(await answerOf(userMessage('Go'), says('First.'), says('Last.'), environmentMessage('Go on.'))).toBe('Last.');
  expect(await answerOf(userMessage('Go'), says('Said.'), says(''))).toBe('Said.');
  expect(await answerOf(userMessage('Go'))).toBe('');
  expect(await answerOf()).toBe('');
});

test('a finish call that is not the agent’s is none', async () => {
  expect(await answerOf(userMessage('Go'), says('Said.'), finishes('Not mine.', 'environment'))).toBe('Said.');
});

test('only the live branch answers', async () => {
  const state = new ConversationState();
  const [first] = await state.append([userMessage('Go')]);
  await state.append([finishes('There.')]);
  await state.transaction((transaction) => transaction.moveHead(first?.id ?? null));
  expect(await state.events.lastAnswer(state.leafEventId)).toBe('');
  await state.append([says('Here.')]);
  expect(await state.events.lastAnswer(state.leafEventId)).toBe('Here.');
});
