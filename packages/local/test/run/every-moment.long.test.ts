import { isConversationError } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { play, story, texts, type Bench } from '../support/bench.ts';
import type { Request } from '../support/scripted-agent.ts';

const twoCalls = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work', 'work'] : 'done');

/** Returns the number of turns of the microtask queue that a run takes. */
async function lengthOfRun(confirm: boolean, concurrency: number): Promise<number> {
  const { conversation } = await begin(confirm, concurrency);
  let on = true;
  const running = conversation.run().finally(() => (on = false));
  let turns = 0;
  for (; on; turns++) await Promise.resolve();
  await running;
  return turns;
}

async function begin(confirm: boolean, concurrency: number): Promise<Bench> {
  const bench = await play({ think: twoCalls, concurrency, resources: () => [] });
  await bench.conversation.sendMessage('first');
  if (!confirm) return bench;
  await bench.conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
  await bench.conversation.run();
  return bench;
}

/** Plays one run for each moment, and does something at that moment. */
async function atEveryMoment(
  act: (bench: Bench) => Promise<unknown>,
  check: (bench: Bench, running: Promise<unknown>, moment: number) => Promise<void>,
  { confirm = false, concurrency = 1 } = {},
): Promise<void> {
  const moments = await lengthOfRun(confirm, concurrency);
  expect(moments).toBeGreaterThan(50);
  for (let moment = 0; moment <= moments; moment++) {
    const bench = await begin(confirm, concurrency);
    const { conversation } = bench;
    const running = conversation.run().catch((error: unknown) => error);
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    const acted = act(bench);
    await check(bench, Promise.all([running, acted]), moment);
    await conversation.close();
  }
}

/** Every call has one result, in a log that nothing was done to twice. */
async function expectWhole({ conversation, agent }: Bench): Promise<void> {
  const events = await conversation.events.slice();
  const calls = events.filter((event) => isEvent(event, 'ActionEvent')).map((event) => event.tool_call_id as string);
  const results = events.filter((event) => 'tool_call_id' in event && event.kind !== 'ActionEvent');
  expect(results.map((event) => ('tool_call_id' in event ? event.tool_call_id : ''))).toEqual(calls);
  expect(new Set(agent.begun).size).toBe(agent.begun.length);
  expect(conversation.state.queue).toEqual([]);
}

describe.each([1, 2])('at every moment of a run with %i call at a time', (concurrency) => {
  test('P7: a message is stored once and answered, by this run or by the next, which is then free to begin', async () => {
    await atEveryMoment(
      ({ conversation }) => conversation.sendMessage('second'),
      async (bench, running, moment) => {
        await running;
        const { conversation } = bench;
        await conversation.run();
        expect(conversation.state.executionStatus, `moment ${moment}`).toBe('finished');
        expect((await texts(conversation)).filter((text) => text === 'second')).toHaveLength(1);
        const said = (await texts(conversation)).filter((text) => text === 'done').length;
        expect(bench.agent.requests).toBe(1 + said);
        await expectWhole(bench);
      },
      { concurrency },
    );
  });

  test('a message and a run right behind it: the message is answered without another command', async () => {
    await atEveryMoment(
      async ({ conversation }) => {
        const sent = conversation.sendMessage('second');
        await conversation.run().catch((error: unknown) => {
          if (!isConversationError(error, 'BUSY')) throw error;
        });
        await sent;
      },
      async (bench, running, moment) => {
        await running;
        const { conversation } = bench;
        expect(conversation.state.executionStatus, `moment ${moment}: ${await story(conversation)}`).toBe('finished');
        expect((await texts(conversation)).filter((text) => text === 'second')).toHaveLength(1);
        await expectWhole(bench);
      },
      { concurrency },
    );
  });

  test('P7: an interruption ends a run with a result for every call, and the next run finishes', async () => {
    await atEveryMoment(
      ({ conversation }) => conversation.interrupt(),
      async (bench, running, moment) => {
        await running;
        const { conversation } = bench;
        expect(conversation.state.pendingActions, `moment ${moment}`).toEqual([]);
        expect(['paused', 'finished']).toContain(conversation.state.executionStatus);
        await expectWhole(bench);
        expect((await conversation.run()).status).toBe('finished');
        await expectWhole(bench);
      },
      { concurrency },
    );
  });

  test('a pause ends a run between steps, and the next run finishes', async () => {
    await atEveryMoment(
      ({ conversation }) => conversation.pause(),
      async (bench, running, moment) => {
        await running;
        const { conversation } = bench;
        expect(['paused', 'finished'], `moment ${moment}`).toContain(conversation.state.executionStatus);
        expect(conversation.state.pendingActions).toEqual([]);
        expect((await conversation.run()).status).toBe('finished');
        expect((await story(conversation)).split(' ').filter((kind) => kind === 'pause').length).toBeLessThan(2);
        await expectWhole(bench);
      },
      { concurrency },
    );
  });

  test('P10: rejecting leaves every call with one result, and none runs afterwards', async () => {
    await atEveryMoment(
      ({ conversation }) => conversation.reject(),
      async (bench, running, moment) => {
        await running;
        const { conversation } = bench;
        await conversation.run();
        expect(conversation.state.executionStatus, `moment ${moment}`).toBe('finished');
        const events = await conversation.events.slice();
        const rejected = events.flatMap((event) =>
          isEvent(event, 'UserRejectObservation') ? [event.tool_call_id] : [],
        );
        for (const id of rejected) expect(bench.agent.begun).not.toContain(id);
      },
      { confirm: true, concurrency },
    );
  });

  test('P5: approving never takes back that a call has started', async () => {
    await atEveryMoment(
      async ({ conversation }) => {
        const before = { ...conversation.state.accepted.calls };
        await conversation.approve();
        const started = Object.keys(before).filter((id) => before[id] === 'started');
        for (const id of started) expect(conversation.state.accepted.calls[id]).not.toBe('approved');
      },
      async (bench, running) => {
        await running;
        expect(bench.conversation.state.executionStatus).toBe('finished');
        await expectWhole(bench);
      },
      { confirm: true, concurrency },
    );
  });

  test('closing ends a run with a result for every call and gives the conversation up', async () => {
    await atEveryMoment(
      ({ conversation }) => conversation.close(),
      async (bench, running) => {
        await running;
        await expectWhole(bench).catch((error: unknown) => {
          // the journal is closed; what is stored is read below
          if (!isConversationError(error, 'CLOSED')) throw error;
        });
        const reader = await bench.store.read(bench.conversation.id);
        expect(reader).toBeDefined();
        const journal = await bench.store.open(bench.conversation.id, { create: 'never', owner: 'next' });
        await journal.close();
      },
      { concurrency },
    );
  });
});
