import assert from 'node:assert/strict';

import type { Conversation } from '@conv/core';
import { isEvent } from '@conv/core/events';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
} from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses } from './expect-conversation.ts';

/** Cases about reading a conversation: events by id and by number, results, the final response. */
export const readingCases: readonly ConversationConformanceCase[] = [
  conversationCase('events are found by their whole ids and by numbers, from either end', async (bench) => {
    const { events } = await twoAnswers(bench);
    const all = await events.slice();
    const { length } = all;
    assert.equal(events.length, length);
    for (const [index, event] of all.entries()) {
      assert.deepEqual(await events.get(event.id), event);
      assert.equal(await events.indexOf(event.id), index);
      for (const number of [index, index - length]) {
        assert.deepEqual(await events.at(number), event);
        assert.equal(await events.idAt(number), event.id);
      }
    }
    for (const unknown of [bench.platform.id(), all[0]?.id.slice(0, 8) ?? ''])
      assert.deepEqual([await events.get(unknown), await events.indexOf(unknown)], [undefined, undefined]);
    for (const outside of [length, -length - 1])
      assert.deepEqual([await events.at(outside), await events.idAt(outside)], [undefined, undefined]);
    for (const range of [[1, length + 5], [-2], [1, -1], [3, 2], [length]])
      assert.deepEqual(await events.slice(...range), all.slice(...range), `slice(${range.join(', ')})`);
    assert.deepEqual(await Array.fromAsync(events), all);
  }),
  conversationCase(
    'P13: an id of an event that is not text is refused with the place, and nothing changes',
    async (bench) => {
      const { events, features, history, state } = await twoAnswers(bench);
      const before = [events.length, state.leafEventId];
      for (const value of [0, true, {}, Symbol('id'), undefined, null]) {
        const id = value as string;
        const asked: [place: string, ask: () => Promise<unknown>][] = [
          ['events.get', () => events.get(id)],
          ['events.indexOf', () => events.indexOf(id)],
        ];
        if (value !== null) asked.push(['history.navigateTo', () => history.navigateTo(id)]);
        if (value !== null && value !== undefined) asked.push(['events.branch', () => events.branch(id)]);
        if (value !== undefined && features.fork) asked.push(['history.fork: from', () => history.fork({ from: id })]);
        for (const [place, ask] of asked) {
          const error = await refuses('INVALID_INPUT', place, ask());
          assert.match(error.message, new RegExp(`${place}: expected the id of an event`));
        }
      }
      assert.deepEqual([events.length, state.leafEventId], before);
    },
  ),
  conversationCase('each result is stored with its call', async (bench) => {
    const { events } = await twoAnswers(bench);
    const all = await events.slice();
    const results = all.filter((event) => isEvent(event, 'ObservationEvent'));
    assert.equal(results.length, 3);
    for (const { action_id: id, tool_call_id: call, observation } of results) {
      const action = all.find((event) => event.id === id);
      assert.ok(action && isEvent(action, 'ActionEvent'));
      assert.equal(call, action.tool_call_id);
      const { text } = JSON.parse(action.tool_call.arguments) as { readonly text: string };
      assert.ok(JSON.stringify(observation).includes(text), `the result of "${text}"`);
    }
  }),
  conversationCase('the final response is that of the live branch', async (bench) => {
    const conversation = await twoAnswers(bench);
    const all = await conversation.events.slice();
    assert.equal(await conversation.finalResponse(), 'Two.');
    await conversation.history.navigateTo(all[2]?.id ?? '');
    assert.equal(await conversation.finalResponse(), 'One.');
    await conversation.history.navigateTo(null);
    assert.equal(await conversation.finalResponse(), '');
    await conversation.history.navigateTo(all.at(-1)?.id ?? '');
    assert.equal(await conversation.finalResponse(), 'Two.');
  }),
];

/** Makes a conversation that was answered twice, the second time after three calls. */
async function twoAnswers({ make }: ConversationBench): Promise<Conversation> {
  const calls = ['alpha', 'beta', 'gamma'].map(echo);
  const { conversation } = await make({ turns: [{ text: 'One.' }, { calls }, { text: 'Two.' }], tools: [echoTool] });
  for (const message of ['First', 'Second']) {
    await conversation.sendMessage(message);
    await conversation.run();
  }
  return conversation;
}
