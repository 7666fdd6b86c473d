import assert from 'node:assert/strict';

import type { Conversation, pastViews } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { toCommitSeq } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
  type ConversationUnderTest,
} from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses } from './expect-conversation.ts';

const outlineCase = casesWhen(conversationCase, ({ outline }) => outline === true);
const viewCase = casesWhen(conversationCase, ({ view }) => view === true);
const without =
  (feature: 'outline' | 'view') =>
  (features: { readonly outline?: boolean; readonly view?: boolean }): boolean =>
    features[feature] !== true;

/** Cases about any point of a conversation: the outline of its log, and the view of its model. */
export const pastCases: readonly ConversationConformanceCase[] = [
  outlineCase('an outline marks messages, answers, calls that wait and failed calls at their events', async (bench) => {
    const { conversation } = await oneOfEach(bench);
    const expected: (readonly [kind: string, event: number])[] = [];
    for (const [number, event] of (await conversation.events.slice()).entries()) {
      if (isEvent(event, 'MessageEvent')) expected.push([event.source === 'user' ? 'message' : 'answer', number]);
      if (isEvent(event, 'AgentErrorEvent')) expected.push(['error', number]);
      if (isEvent(event, 'UserRejectObservation')) expected.push(['rejection', number]);
      if (isEvent(event, 'ActionEvent') && event.tool_call.arguments.includes('wait'))
        expected.push(['approval', number]);
    }
    const { from, events, marks } = await conversation.history.outline();
    const kinds = new Set(['message', 'answer', 'error', 'rejection', 'approval']);
    const found = marks.filter(({ kind }) => kinds.has(kind)).map(({ kind, event }) => [kind, event]);
    assert.deepEqual([from, events], [0, conversation.events.length]);
    assert.deepEqual(found.toSorted(byText), expected.toSorted(byText));
    assert.equal(expected.length, 8);
    assert.equal(marks.find(({ kind }) => kind === 'message')?.label, 'First');
  }),
  outlineCase('P6: the cost of an outline is the cost of the state there; no model is asked', async (bench) => {
    const { conversation, modelRequests } = await oneOfEach(bench);
    const asked = modelRequests();
    const { cost } = await conversation.history.outline();
    assert.equal(cost.at(-1)?.total ?? 0, conversation.state.metrics.totalCost);
    for (const [index, { event, total }] of cost.entries())
      assert.ok(index === 0 || (event > (cost[index - 1]?.event ?? 0) && total > (cost[index - 1]?.total ?? 0)));
    if (conversation.features.commits)
      for (const { event, total } of cost)
        assert.equal((await conversation.history.at({ event })).state.metrics.totalCost, total);
    assert.equal(modelRequests(), asked);
  }),
  outlineCase(
    'an outline after an earlier one has the new marks, and both together are the whole outline',
    async (bench) => {
      const { conversation, reopen } = await oneOfEach(bench);
      const early = await conversation.history.outline();
      await conversation.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
      await conversation.sendMessage('Fourth');
      await conversation.run();
      const later = await conversation.history.outline({ after: early.events });
      assert.ok(later.from <= early.events && later.marks.every(({ event }) => event >= later.from));
      assert.ok(later.marks.length < early.marks.length, 'what was seen is not given again');
      const again = await reopen();
      assert.deepEqual(inOrder(over(early, later)), inOrder(await again.history.outline()));
    },
  ),
  outlineCase('outlines that are read without time cover more and more of a log, and tell how much', async (bench) => {
    const { conversation, reopen } = await oneOfEach(bench);
    const { history, events } = conversation;
    let shown: pastViews.Outline = { from: 0, events: 0, marks: [], cost: [] };
    while (shown.events < events.length) {
      const more = await history.outline({ after: shown.events, within: 0 });
      assert.ok(more.from <= shown.events && more.marks.every(({ last }) => last < more.events));
      shown = over(shown, more);
    }
    const again = await reopen();
    assert.deepEqual(inOrder(shown), inOrder(await again.history.outline()));
  }),
  outlineCase('an outline refuses invalid numbers and bounds', async (bench) => {
    const { history } = (await bench.make({ turns: [] })).conversation;
    assert.deepEqual((await history.outline()).cost, []);
    for (const options of [{ after: -1 }, { after: 1.5 }, { buckets: 1 }, { buckets: 10_000 }, { within: -1 }])
      await refuses('INVALID_INPUT', 'outline', history.outline(options));
  }),
  viewCase('the view before an answer is what the model was asked with, whenever it is looked at', async (bench) => {
    const { conversation, asked } = await oneOfEach(bench);
    const events = await conversation.events.slice();
    const answers: number[] = [];
    let response: string | undefined;
    for (const [number, event] of events.entries()) {
      const id = 'llm_response_id' in event ? (event.llm_response_id as string | undefined) : undefined;
      if (event.source !== 'agent' || id === undefined || id === response) continue;
      response = id;
      answers.push(number);
    }
    assert.equal(answers.length, asked.length);
    for (const [index, number] of [...answers.entries()].toReversed()) {
      const { messages, events: end } = await conversation.history.view({ event: number - 1 });
      assert.equal(end, number);
      assert.deepEqual(
        messages.map(({ message }) => message.role),
        asked[index],
      );
      const named = messages.flatMap((message) => message.events);
      assert.deepEqual(named, [...new Set(named)], 'an event belongs to one message');
      assert.ok(named.every((event) => event < number));
    }
  }),
  viewCase('a view tells the size of its messages, and which of them the last request contained', async (bench) => {
    const { conversation } = await oneOfEach(bench);
    const { messages, tokens, count, first, hidden, condensationRequested } = await viewNow(conversation);
    assert.deepEqual([first, count, hidden, condensationRequested], [0, messages.length, [], false]);
    assert.ok(messages.every((message) => message.tokens > 0));
    assert.equal(
      messages.reduce((sum, message) => sum + message.tokens, 0),
      tokens,
    );
    const fresh = messages.findIndex(({ cached }) => !cached);
    assert.ok(fresh > 0 && fresh < messages.length, 'the newest answer is not in the cache');
    assert.ok(messages.slice(fresh).every(({ cached }) => !cached));
    assert.ok(messages.some(({ cachePoint }) => cachePoint));
  }),
  viewCase('a view is read in pages, and an invalid page is refused', async (bench) => {
    const { conversation } = await oneOfEach(bench);
    const all = await viewNow(conversation);
    const point = { event: conversation.events.length - 1 };
    const { history } = conversation;
    const [head, tail] = [await history.view(point, { from: 0, limit: 3 }), await history.view(point, { limit: 2 })];
    assert.deepEqual([head.messages, head.first, head.count], [all.messages.slice(0, 3), 0, all.count]);
    assert.deepEqual([tail.messages, tail.first, tail.tokens], [all.messages.slice(-2), all.count - 2, all.tokens]);
    for (const page of [{ from: -1 }, { limit: 0 }, { limit: 5000 }])
      await refuses('INVALID_INPUT', 'view', history.view(point, page));
    for (const event of [conversation.events.length, -1, 0.5])
      await refuses('INVALID_INPUT', `the view at event ${event}`, history.view({ event }));
  }),
  conversationCase(
    'an outline of a runtime that has none rejects UNSUPPORTED',
    async ({ make }) => {
      const { conversation } = await make({ turns: [] });
      await refuses('UNSUPPORTED', 'outline', conversation.history.outline());
    },
    without('outline'),
  ),
  conversationCase(
    'a view of a runtime that has none rejects UNSUPPORTED',
    async ({ make }) => {
      const { conversation } = await make({ turns: [] });
      await refuses('UNSUPPORTED', 'view', conversation.history.view(toCommitSeq(0)));
    },
    without('view'),
  ),
];

interface Played extends ConversationUnderTest {
  /** The roles of each request to the model. */
  readonly asked: readonly (readonly string[])[];
}

/** Plays an answer, a failed call, and a call that waits and is rejected. The script has one more answer. */
async function oneOfEach({ make }: ConversationBench): Promise<Played> {
  const asked: (readonly string[])[] = [];
  const reads = (roles: readonly string[]): void => void asked.push(roles);
  const turns = [
    { text: 'One.', reads },
    { calls: [echo('fail')], reads },
    { text: 'Two.', reads },
    { calls: [echo('wait')], reads },
    { text: 'Three.' },
    { text: 'Four.' },
  ];
  const under = await make({ turns, tools: [echoTool] });
  const { conversation } = under;
  for (const message of ['First', 'Second']) {
    await conversation.sendMessage(message);
    await conversation.run();
  }
  await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
  await conversation.sendMessage('Third');
  await conversation.run();
  assert.equal(conversation.state.executionStatus, 'waiting_for_confirmation');
  await conversation.reject(undefined, 'too risky');
  return { ...under, asked };
}

function viewNow({ history, events }: Conversation): ReturnType<Conversation['history']['view']> {
  return history.view({ event: events.length - 1 });
}

/** Puts a newer outline over an older one, as a reader does. */
function over(older: pastViews.Outline, newer: pastViews.Outline): pastViews.Outline {
  const marks = [...older.marks.filter(({ event }) => event < newer.from), ...newer.marks];
  const cost = [...older.cost.filter(({ event }) => event < newer.from), ...newer.cost];
  return { ...newer, from: 0, marks, cost };
}

/** Returns an outline with its marks in a fixed order, whenever they were added. */
function inOrder({ marks, ...outline }: pastViews.Outline): unknown {
  const key = ({ event, kind }: pastViews.OutlineMark): readonly [string, number] => [kind, event];
  return { ...outline, marks: marks.toSorted((one, other) => byText(key(one), key(other))) };
}

function byText(one: readonly unknown[], other: readonly unknown[]): number {
  return String(one).localeCompare(String(other));
}
