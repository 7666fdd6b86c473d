import { eventGuards, isEvent } from '@conv/core/events';
import { toCommitSeq, MemoryStore, type Commit } from '@conv/core/store';
import { initialFields } from '@conv/core';
import { describe, expect, test } from 'vitest';

import { open, play, type Bench } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'done');
/** A prime, so that moments of all kinds are met. */
const STRIDE = 3;

/** Hooks for every moment; each second call is blocked. */
function hooksOfEverything(): FakeHooks {
  let asked = 0;
  const told = (): object => ({ additionalContext: 'noted' });
  return new FakeHooks({
    SessionStart: told,
    UserPromptSubmit: told,
    PreToolUse: () => (++asked % 2 === 0 ? { blocked: true } : {}),
    PostToolUse: told,
    Stop: ({ stopHookActive }) => ({ blocked: stopHookActive === false }),
    SessionEnd: told,
  });
}

async function begin(concurrency: number): Promise<Bench> {
  const bench = await play({ think: twoCalls, concurrency, resources: () => [] }, { hooks: hooksOfEverything() });
  await bench.conversation.sendMessage('first');
  return bench;
}

/** Every call has one result, and no call runs that a hook blocked or that ran before. */
async function expectWhole({ conversation, agent }: Pick<Bench, 'conversation' | 'agent'>): Promise<void> {
  const events = await conversation.events.slice();
  const calls = events.filter((event) => isEvent(event, 'ActionEvent')).map((event) => event.tool_call_id);
  const results = events.filter(eventGuards.isObservationLike);
  expect(results.map((event) => event.tool_call_id).toSorted()).toEqual(calls.toSorted());
  expect(new Set(agent.begun).size).toBe(agent.begun.length);
  const rejected = results.filter((result) => isEvent(result, 'UserRejectObservation'));
  for (const { tool_call_id: id } of rejected) expect(agent.begun).not.toContain(id);
  expect(conversation.state).toMatchObject({ queue: [], uncheckedMessages: [], calls: {} });
}

/** Returns the number of turns of the microtask queue that a run takes. */
async function lengthOfRun(concurrency: number): Promise<number> {
  const { conversation } = await begin(concurrency);
  let on = true;
  const running = conversation.run().finally(() => (on = false));
  let turns = 0;
  for (; on; turns++) await Promise.resolve();
  await running;
  return turns;
}

/** Plays one run for each of many moments, and does something at that moment. */
async function atManyMoments(
  act: (bench: Bench) => Promise<unknown>,
  check: (bench: Bench, moment: number) => Promise<void>,
  concurrency: number,
): Promise<void> {
  const length = await lengthOfRun(concurrency);
  for (let moment = 0; moment <= length; moment += STRIDE) {
    const bench = await begin(concurrency);
    const running = bench.conversation.run().catch(() => {});
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    await act(bench);
    await running;
    await check(bench, moment);
    await bench.conversation.close();
  }
}

describe.each([1, 2])('at many moments of a run with hooks and %i calls at a time', (concurrency) => {
  test('P7: an interruption ends a run with a result for every call, and the next run finishes', async () => {
    await atManyMoments(
      ({ conversation }) => conversation.interrupt(),
      async (bench, moment) => {
        const { conversation } = bench;
        expect(conversation.state.pendingActions, `moment ${moment}`).toEqual([]);
        expect((await conversation.run()).status).toBe('finished');
        await expectWhole(bench);
      },
      concurrency,
    );
  });

  test('P7: a message is answered by this run or the next, and checked before', async () => {
    await atManyMoments(
      ({ conversation }) => conversation.sendMessage('second'),
      async (bench, moment) => {
        const { conversation } = bench;
        expect((await conversation.run()).status, `moment ${moment}`).toBe('finished');
        await expectWhole(bench);
      },
      concurrency,
    );
  });
});

/** Returns the store of a process that dies after these commits. */
async function storeOf(id: string, commits: readonly Commit[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const journal = await store.open(id, { owner: 'the dead' });
  for (const { id: commitId, events, patch, records } of commits) {
    const rest = { ...(patch ? { patch } : {}), ...(records ? { records } : {}) };
    await journal.append({ id: commitId, events, ...rest }, initialFields);
  }
  await journal.close();
  return store;
}

test.each([1, 2])(
  'P4, P5: a conversation opens at rest after a death at any commit with %i calls, and ends as asked',
  async (concurrency) => {
    const { conversation, store } = await begin(concurrency);
    await conversation.run();
    const { id } = conversation;
    await conversation.close();
    const reader = await store.read(id);
    const commits = (await Array.fromAsync(reader?.commits({ from: toCommitSeq(0) }) ?? [])) as readonly Commit[];
    expect(commits.length).toBeGreaterThan(8);
    for (let length = 1; length <= commits.length; length++) {
      const agent = new ScriptedAgent();
      const again = await open(await storeOf(id, commits.slice(0, length)), { id, agent, hooks: hooksOfEverything() });
      expect(again.state.executionStatus, `${length} commits`).not.toBe('running');
      expect(again.state.calls).toEqual({});
      expect(agent.begun).toEqual([]);
      const status = again.state.leafEventId === null ? 'idle' : 'finished';
      expect((await again.run()).status).toBe(status);
      if (status === 'finished') await expectWhole({ conversation: again, agent });
      await again.close();
    }
  },
);
