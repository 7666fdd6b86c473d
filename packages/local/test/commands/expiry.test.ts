import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { isEvent } from '@conv/core/events';

import type { LocalConversation, LocalConversationOptions } from '../../src/index.ts';
import { EXPIRED } from '../../src/log.ts';
import { open, play, story, type Bench } from '../support/bench.ts';
import { adopt } from '../support/dying.ts';
import { MortalStore } from '../support/mortal-store.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';

const HOUR = 3_600_000;

const calls = (...names: readonly string[]): Script => ({
  think: ({ number }) => (number === 1 ? names : 'done'),
});

function asking(platform: ManualPlatform): LocalConversationOptions {
  return { platform, approvalTimeout: HOUR, confirmationPolicy: { kind: 'AlwaysConfirm' } };
}

/** A conversation that asks about these calls, an hour at most. */
async function waiting(platform: ManualPlatform, ...names: readonly string[]): Promise<Bench> {
  const bench = await play(calls(...names), asking(platform));
  await bench.conversation.sendMessage('go');
  await bench.conversation.run();
  await platform.untilWaiting(HOUR);
  return bench;
}

/** A conversation in a store that can die, which asks about a call, an hour at most. Call `kill` of the store to end its process. */
async function asked(platform: ManualPlatform): Promise<{ store: MortalStore; first: LocalConversation }> {
  const store = new MortalStore();
  const first = await open(store, { agent: new ScriptedAgent(calls('work')), ...asking(platform) });
  await first.sendMessage('go');
  await first.run();
  return { store, first };
}

async function rested(conversation: LocalConversation): Promise<void> {
  while (conversation.state.executionStatus === 'waiting_for_confirmation')
    await new Promise((resolve) => setImmediate(resolve));
}

const rejections = async ({ events }: LocalConversation): Promise<readonly (string | undefined)[]> =>
  (await events.slice()).flatMap((event) => (isEvent(event, 'UserRejectObservation') ? [event.rejection_reason] : []));

test('P10: a call that no person decided on in time is rejected with a reason, and never runs', async () => {
  const platform = new ManualPlatform();
  const { conversation, agent } = await waiting(platform, 'work', 'work');
  platform.pass(HOUR - 1);
  expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
  platform.pass(1);
  await rested(conversation);
  expect(await story(conversation)).toBe('system user action action reject reject');
  expect(await rejections(conversation)).toEqual(Array(2).fill(`${EXPIRED}, which is 1 hour; it was not executed.`));
  expect([conversation.state.executionStatus, agent.begun]).toEqual(['idle', []]);
  expect(platform.waits).toEqual([]);
});

test('the commit that asks records how long it waits, and the next process records its own limit', async () => {
  const { store, first } = await asked(new ManualPlatform());
  const { id, state } = first;
  const [action] = state.pendingActions;
  const times = { [String(action?.id)]: new Date(0).toISOString() };
  expect(state.extra.meta['conv_asked']).toEqual({ conversation: id, timeout: HOUR, times });
  await store.kill();
  const later = new ManualPlatform();
  const { conversation } = await adopt(store, id, {}, { ...asking(later), approvalTimeout: 2 * HOUR });
  await later.untilWaiting(2 * HOUR);
  expect(conversation.state.extra.meta['conv_asked']).toEqual({ conversation: id, timeout: 2 * HOUR, times });
  await conversation.close();
  const { conversation: last } = await adopt(store, id, {}, { confirmationPolicy: { kind: 'AlwaysConfirm' } });
  while ('conv_asked' in last.state.extra.meta) await new Promise((resolve) => setImmediate(resolve));
  expect(last.state.pendingActions).toHaveLength(1);
});

test('a call that was approved in time does not expire', async () => {
  const platform = new ManualPlatform();
  const { conversation, agent } = await waiting(platform, 'work');
  await conversation.approve();
  platform.pass(2 * HOUR);
  expect((await conversation.run()).status).toBe('finished');
  expect(agent.begun).toHaveLength(1);
});

test.each([
  ['approves all', 'idle', ({ conversation }: Bench) => conversation.approve()],
  ['runs the conversation', 'finished', ({ conversation }: Bench) => conversation.run()],
])('P10: a person who %s too late, before a timer that slept fires, lets no call run', async (_, status, decide) => {
  const platform = new ManualPlatform();
  const bench = await waiting(platform, 'work');
  // the machine was suspended: its clock went on, and its timers did not
  Object.assign(platform, { now: () => 2 * HOUR });
  await decide(bench);
  const { conversation, agent } = bench;
  expect(await story(conversation)).toMatch(/^system user action reject/);
  expect([conversation.state.executionStatus, agent.begun]).toEqual([status, []]);
});

test('P10: an approval by name that comes too late is refused', async () => {
  const platform = new ManualPlatform();
  const { conversation } = await waiting(platform, 'work');
  const [{ id } = { id: '' }] = conversation.state.pendingActions;
  Object.assign(platform, { now: () => 2 * HOUR });
  await expect(conversation.approve([id], { by: 'ann' })).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
  expect(await rejections(conversation)).toEqual([expect.stringContaining(EXPIRED)]);
});

test('a question whose rejection cannot be stored is rejected later', async () => {
  const platform = new ManualPlatform();
  const { conversation, store } = await waiting(platform, 'work');
  store.refuse();
  platform.pass(HOUR);
  await platform.untilWaiting(10_000);
  expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
  store.onAppend = undefined;
  platform.pass(10_000);
  await rested(conversation);
  expect(await story(conversation)).toBe('system user action reject');
});

test('P3: a question expires after a restart by the time at which it was asked', async () => {
  const platform = new ManualPlatform();
  const { store, first } = await asked(platform);
  await platform.untilWaiting(HOUR);
  platform.pass(HOUR / 2);
  await store.kill();
  const later = new ManualPlatform(HOUR / 2);
  const early = await adopt(store, first.id, {}, asking(later));
  await later.untilWaiting(HOUR / 2);
  expect(early.conversation.state.pendingActions).toHaveLength(1);
  await early.conversation.close();
  const { conversation } = await adopt(store, first.id, {}, asking(new ManualPlatform(HOUR)));
  await rested(conversation);
  expect(await story(conversation)).toBe('system user action reject');
});

test('P10: a question asked by a clock that was ahead expires by the clock that was set right', async () => {
  const ahead = new ManualPlatform(1000 * HOUR);
  const { store, first } = await asked(ahead);
  await ahead.untilWaiting(HOUR);
  await store.kill();
  const right = new ManualPlatform();
  const { conversation } = await adopt(store, first.id, {}, asking(right));
  await right.untilWaiting(HOUR);
  right.pass(HOUR);
  await rested(conversation);
  expect(await story(conversation)).toBe('system user action reject');
});

test('a fork asks anew, and its question expires by its own time', async () => {
  const platform = new ManualPlatform();
  const { conversation } = await waiting(platform, 'work');
  platform.pass(HOUR / 2);
  const fork = await conversation.fork();
  await platform.untilWaiting(HOUR);
  expect([...platform.waits].toSorted((one, other) => one - other)).toEqual([HOUR / 2, HOUR]);
  platform.pass(HOUR / 2);
  await rested(conversation);
  expect(fork.state.pendingActions).toHaveLength(1);
  await fork.close();
});

test('a call that HEAD was moved back to is asked about anew', async () => {
  const platform = new ManualPlatform();
  const { conversation } = await waiting(platform, 'work');
  const [{ id } = { id: '' }] = conversation.state.pendingActions;
  platform.pass(HOUR);
  await rested(conversation);
  platform.pass(HOUR);
  await conversation.history.navigateTo(id);
  await platform.untilWaiting(HOUR);
  expect(conversation.state.pendingActions.map((action) => action.id)).toEqual([id]);
});

test('a time that is no time is refused', async () => {
  for (const approvalTimeout of [0, -1, Number.NaN, '1h' as unknown as number])
    await expect(play({}, { approvalTimeout })).rejects.toThrow('approvalTimeout: expected milliseconds above 0');
});
