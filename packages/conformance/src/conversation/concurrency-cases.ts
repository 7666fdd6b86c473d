import assert from 'node:assert/strict';

import type { Conversation } from '@conv/core';
import { eventGuards, isEvent } from '@conv/core/events';
import { casesWhen } from '../conformance-case.ts';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
} from './conversation-under-test.ts';
import { story } from './expect-conversation.ts';
import { meet, meetingTool, nameIn } from './meeting-tool.ts';

const ALWAYS = { kind: 'AlwaysConfirm' } as const;

const concurrencyCase = casesWhen(conversationCase, ({ toolConcurrency }) => toolConcurrency === true);

/** Calls of one response that run at the same time. */
export const concurrencyCases: readonly ConversationConformanceCase[] = [
  concurrencyCase(
    'calls of one response run at the same time: two calls that wait for each other both end',
    async (bench) => {
      const { tool, most } = meetingTool();
      const calls = [meet('a', { other: 'b' }), meet('b', { other: 'a' })];
      const { conversation } = await bench.make({
        turns: [{ calls }, { text: 'Met.' }],
        tools: [tool],
        toolConcurrency: 2,
      });
      await conversation.sendMessage('Go');
      assert.equal((await bench.patiently('the run to end', conversation.run())).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['action', 'action', 'result', 'result', 'agent']);
      assert.equal(most(), 2);
    },
  ),
  concurrencyCase('an agent without a limit of its own runs one call after the other', async ({ make, patiently }) => {
    const { tool, begun, release, names, most } = meetingTool();
    const calls = [meet('a'), meet('b')];
    const { conversation } = await make({ turns: [{ calls }, { text: 'Met.' }], tools: [tool] });
    await conversation.sendMessage('Go');
    const running = conversation.run();
    await patiently('the first call to begin', begun('a'));
    release('b');
    assert.deepEqual(names, ['a']);
    release('a');
    assert.equal((await patiently('the run to end', running)).status, 'finished');
    assert.deepEqual([names, most()], [['a', 'b'], 1]);
  }),
  concurrencyCase('no more calls run at the same time than the limit says', async (bench) => {
    const { most, names, release, conversation, running } = await meeting(bench, ['a', 'b', 'c', 'd', 'e'], 2);
    assert.deepEqual(names, ['a', 'b']);
    release('e', 'd', 'c', 'b', 'a');
    assert.equal((await bench.patiently('the run to end', running)).status, 'finished');
    assert.equal(most(), 2);
    assert.equal((await resultsOf(conversation)).length, 5);
  }),
  concurrencyCase(
    'calls with a common resource run one after the other, in order, and delay no others',
    async ({ make, patiently }) => {
      const { tool, begun, release, names } = meetingTool();
      const calls = [meet('a', { needs: ['x', 'y'] }), meet('b', { needs: ['y', 'x'] }), meet('c', { needs: ['z'] })];
      const { conversation } = await make({
        turns: [{ calls }, { text: 'Met.' }],
        tools: [tool],
        toolConcurrency: 3,
      });
      await conversation.sendMessage('Go');
      const running = conversation.run();
      await patiently('the call that needs nothing of the others', begun('c'));
      assert.deepEqual(names, ['a', 'c']);
      release('c', 'b', 'a');
      assert.equal((await patiently('the run to end', running)).status, 'finished');
      assert.deepEqual(names, ['a', 'c', 'b']);
    },
  ),
  concurrencyCase(
    'P5: each result is stored at once, and the model reads results in call order, even after reopening',
    async ({ make, patiently }) => {
      const { tool, begun, release } = meetingTool();
      const read: (readonly string[])[] = [];
      const reads = (_: readonly string[], results: readonly string[]): void =>
        void read.push(results.map((result) => nameIn(result) ?? result));
      const { conversation, reopen } = await make({
        turns: [{ calls: [meet('a'), meet('b'), meet('c')] }, { text: 'Met.', reads }, { text: 'Again.', reads }],
        tools: [tool],
        toolConcurrency: 3,
      });
      await conversation.sendMessage('Go');
      const running = conversation.run();
      for (const [name, before] of [['c'], ['b', 'c'], ['a', 'b']] as const) {
        if (before !== undefined) await patiently(`the result of ${before}`, resultComes(conversation, before));
        await patiently(`${name} to begin`, begun(name));
        release(name);
      }
      assert.equal((await patiently('the run to end', running)).status, 'finished');
      assert.deepEqual(await resultsOf(conversation), ['c', 'b', 'a']);
      const again = await reopen();
      await again.sendMessage('And again');
      await again.run();
      assert.deepEqual(read, [
        ['a', 'b', 'c'],
        ['a', 'b', 'c'],
      ]);
    },
  ),
  concurrencyCase('a message during calls is an event when the last of them has ended', async (bench) => {
    const { release, conversation, running } = await meeting(bench, ['a', 'b'], 2);
    const sent = await conversation.sendMessage('Also');
    assert.equal(sent.queued, true);
    release('b');
    await bench.patiently('the result of b', resultComes(conversation, 'b'));
    assert.equal(await conversation.events.get(sent.id), undefined);
    release('a');
    assert.equal((await bench.patiently('the run to end', running)).status, 'finished');
    assert.deepEqual(await story(conversation, 2), ['action', 'action', 'result', 'result', 'user', 'agent']);
  }),
  concurrencyCase(
    'P5, P7: interrupt ends all running calls, waiting calls had no effect, and each call has its result',
    async (bench) => {
      const { names, release, conversation, running } = await meeting(bench, ['a', 'b', 'c'], 2, { stubborn: true });
      await bench.patiently('the interruption', conversation.interrupt());
      assert.equal((await running).status, 'paused');
      const kinds = ['action', 'action', 'action', 'error', 'error', 'error', 'interrupt'];
      assert.deepEqual(await story(conversation, 2), kinds);
      const [a, b, c] = await errorsOf(conversation);
      for (const error of [a, b]) assert.match(error ?? '', /unknown/);
      assert.match(c ?? '', /no effect/);
      release('a', 'b', 'c');
      assert.equal((await conversation.run()).status, 'finished');
      assert.deepEqual(await story(conversation, 2), [...kinds, 'agent']);
      assert.deepEqual(names, ['a', 'b']);
    },
  ),
  concurrencyCase(
    'P5: a kill loses no stored result; started calls have an unknown outcome, others wait for a person',
    async (bench) => {
      const { conversation, kill, begun, names, release } = await meeting(bench, ['a', 'b', 'c', 'd'], 2);
      release('b');
      await bench.patiently('the result of b', resultComes(conversation, 'b'));
      await bench.patiently('the next call to begin', begun('c'));
      const opened = await kill?.();
      assert.ok(opened);
      assert.deepEqual(await resultsOf(opened), ['b']);
      const [a, c, ...more] = await errorsOf(opened);
      for (const error of [a, c]) assert.match(error ?? '', /unknown/);
      assert.deepEqual(more, []);
      assert.equal(opened.state.executionStatus, 'waiting_for_confirmation');
      assert.equal(opened.state.pendingActions.length, 1);
      release('a', 'c', 'd');
      assert.equal((await bench.patiently('the run to end', opened.run())).status, 'finished');
      assert.deepEqual(names, ['a', 'b', 'c', 'd']);
    },
    ({ kill, keepsRuns }) => kill && keepsRuns !== true,
  ),
  concurrencyCase(
    'P10: approved calls run at the same time, and the calls without approval wait on',
    async ({ make, patiently }) => {
      const { tool, names, release } = meetingTool();
      const calls = [meet('a', { other: 'c' }), meet('b'), meet('c', { other: 'a' })];
      const { conversation } = await make({
        turns: [{ calls }, { text: 'Met.' }],
        tools: [tool],
        toolConcurrency: 3,
        confirmationPolicy: ALWAYS,
      });
      await conversation.sendMessage('Go');
      await conversation.run();
      const [first, second, third] = conversation.state.pendingActions.map(({ id }) => id);
      await conversation.approve([first ?? '', third ?? '']);
      const { status } = await patiently('the run to end', conversation.run());
      assert.equal(status, 'waiting_for_confirmation');
      assert.deepEqual(
        conversation.state.pendingActions.map(({ id }) => id),
        [second],
      );
      assert.deepEqual(names, ['a', 'c']);
      release('b');
      assert.equal((await patiently('the run to end', conversation.run())).status, 'finished');
    },
  ),
  concurrencyCase('finish ends the run when everything before it has ended', async ({ make, patiently }) => {
    const { tool, begun, release } = meetingTool();
    const calls = [meet('a'), meet('b'), { name: 'finish', arguments: { message: 'Done.' } }];
    const { conversation } = await make({ turns: [{ calls }], tools: [tool], toolConcurrency: 3 });
    await conversation.sendMessage('Go');
    const running = conversation.run();
    await patiently('both calls to begin', Promise.all([begun('a'), begun('b')]));
    release('b');
    await patiently('the result of b', resultComes(conversation, 'b'));
    assert.equal(conversation.state.executionStatus, 'running');
    release('a');
    assert.equal((await patiently('the run to end', running)).status, 'finished');
    const results = (await conversation.events.slice()).filter(eventGuards.isObservationLike);
    assert.deepEqual(
      results.map(({ tool_name: name }) => name),
      ['meet', 'meet', 'finish'],
    );
  }),
];

type Meeting = ReturnType<typeof meetingTool> &
  Awaited<ReturnType<ConversationBench['make']>> & { readonly running: Promise<{ readonly status: string }> };

/** Starts a run of these calls. Resolves when as many calls have begun as may run at the same time. */
async function meeting(
  { make, patiently }: ConversationBench,
  names: readonly string[],
  toolConcurrency: number,
  options: { readonly stubborn?: boolean } = {},
): Promise<Meeting> {
  const met = meetingTool(options);
  const calls = names.map((name) => meet(name));
  const turns = [{ calls }, { text: 'Met.' }, { text: 'Met again.' }];
  const under = await make({ turns, tools: [met.tool], toolConcurrency });
  await under.conversation.sendMessage('Go');
  const running = under.conversation.run();
  // The run of a killed process may reject. The case looks at the log instead.
  running.catch(() => {});
  const first = names.slice(0, toolConcurrency);
  await patiently('the calls to begin', Promise.all(first.map((name) => met.begun(name))));
  return { ...met, ...under, running };
}

/** Resolves when the log holds the result of the call with this name. */
async function resultComes(conversation: Conversation, name: string): Promise<void> {
  const come = Promise.withResolvers<void>();
  const look = async (): Promise<void> => void ((await resultsOf(conversation)).includes(name) && come.resolve());
  const subscription = conversation.subscribe(look);
  await look();
  await come.promise;
  subscription.unsubscribe();
}

/** Resolves with the names of the calls that have a result, in the order of the log. */
async function resultsOf(conversation: Conversation): Promise<readonly string[]> {
  const events = await conversation.events.slice();
  return events.flatMap((event) =>
    isEvent(event, 'ObservationEvent') ? (nameIn(JSON.stringify(event.observation)) ?? []) : [],
  );
}

/** Resolves with the errors of the calls that failed, in the order of the log. */
async function errorsOf(conversation: Conversation): Promise<readonly string[]> {
  const events = await conversation.events.slice();
  return events.filter((event) => isEvent(event, 'AgentErrorEvent')).map(({ error }) => error);
}
