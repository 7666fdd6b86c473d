import { ConversationState } from '@conv/core';
import { agentMessage, drafts, userMessage } from '@conv/core/events';
import { modelViewOf } from '@conv/openhands/messages';
import { expect, test } from 'vitest';

import { PastStates } from '../../src/past/past-states.ts';

async function talk(turns: number): Promise<ConversationState> {
  const state = new ConversationState();
  await state.append([drafts.systemPrompt('Be brief.', [])]);
  for (let turn = 0; turn < turns; turn++) {
    await state.append([userMessage(`question ${turn}`)]);
    await state.append([agentMessage({ content: `answer ${turn}`, llm_response_id: `r${turn}` })]);
  }
  return state;
}

const now = async (state: ConversationState): ReturnType<typeof modelViewOf> =>
  modelViewOf(await new PastStates(state).view({ event: state.events.length - 1 }));

test('the beginning of the last request is cached up to its last user message', async () => {
  const state = await talk(2);
  const { messages } = await now(state);
  expect(messages.map(({ cached }) => cached)).toEqual([true, true, true, true, false]);
  await state.append([userMessage('and now?')]);
  const next = await now(state);
  expect(next.messages.map(({ cached }) => cached)).toEqual([true, true, true, true, false, false]);
  expect(next.messages.map(({ cachePoint }) => cachePoint)).toEqual([true, false, false, false, false, true]);
});

test('a condensation leaves the system prompt alone in the cache until the model has answered again', async () => {
  const state = await talk(3);
  const forgotten = [await state.events.at(1), await state.events.at(2)].map((event) => event?.id ?? '');
  const fields = { forgotten_event_ids: forgotten, llm_response_id: 'c', summary: 'so far', summary_offset: 1 };
  await state.append([drafts.condensation(fields)]);
  const { messages, hidden } = await now(state);
  expect(hidden).toEqual([{ from: 1, to: 3, count: 2, by: 7 }]);
  expect(messages.map(({ cached }) => cached)).toEqual([true, false, false, false, false]);
  expect(messages.map(({ events }) => events)).toEqual([[0], [7, 3], [4], [5], [6]]);
  await state.append([userMessage('more')]);
  await state.append([agentMessage({ content: 'yes', llm_response_id: 'r9' })]);
  expect((await now(state)).messages.map(({ cached }) => cached)).toEqual([true, true, true, true, true, true, false]);
});

test('messages behind each other that are one message name all of their events', async () => {
  const state = await talk(1);
  await state.append([userMessage('one'), userMessage('two')]);
  const { messages, tokens, count } = await now(state);
  expect(messages.at(-1)).toMatchObject({ events: [3, 4], message: { role: 'user' } });
  expect([messages.reduce((sum, message) => sum + message.tokens, 0), messages.length]).toEqual([tokens, count]);
});
