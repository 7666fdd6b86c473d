import { expect, test } from 'vitest';

import { isConversationError } from '@conv/core';

import type { RemoteConversation } from '../../src/index.ts';
import { Bench, told } from '../support/bench.ts';
import type { FakeConversation, FakeTurn } from '../support/fake-conversation.ts';

const waits: FakeTurn = (one) => (one.call('a', 'b'), 'waiting_for_confirmation');
const runsAll: FakeTurn = (one) => (one.answer(one.pending), one.say('Done.'), 'finished');
const policy = { kind: 'AlwaysConfirm' } as const;

/** A fork of a conversation whose two calls wait for a person, on a server that makes forks idle. */
async function forkOfWaiting(
  bench: Bench,
): Promise<{ readonly fork: RemoteConversation; readonly there: FakeConversation }> {
  const source = await bench.open();
  await source.settings.setConfirmationPolicy(policy);
  await source.sendMessage('Go');
  await source.run({ pollInterval: 20 });
  const id = await source.history.fork();
  const fork = await bench.openAgain(id);
  const there = bench.server.conversations.get(id);
  if (!there) throw new Error('there is no fork');
  return { fork, there };
}

test('P10: calls of a fork wait for a person, although the server says that the fork is idle', async () => {
  await using bench = await Bench.start({ turns: [waits, runsAll] });
  const { fork, there } = await forkOfWaiting(bench);
  const statuses: string[] = [];
  fork.subscribe({ onStateChange: ({ executionStatus }) => void statuses.push(executionStatus) });
  await fork.settings.setTitle('A fork');
  await bench.until(() => statuses.length > 0);
  expect(new Set(statuses)).toEqual(new Set(['waiting_for_confirmation']));
  expect(there.status).toBe('idle');
  expect(fork.state.executionStatus).toBe('waiting_for_confirmation');
  expect(fork.state.pendingActions).toHaveLength(2);
  await fork.approve();
  expect((await fork.run({ pollInterval: 20 })).status).toBe('finished');
  expect(fork.state.executionStatus).toBe('finished');
});

/** Ends a run as OpenHands' server does when the model refuses a request. */
function failed(one: FakeConversation): string {
  const detail = 'The model refused the request.';
  one.append({ kind: 'ConversationErrorEvent', source: 'environment', code: 'BadRequest', detail } as never);
  return 'error';
}

const refused: FakeTurn = (one) => (one.answer(one.pending), failed(one));

test('P5: the run of a fork is made again when the model refuses results without their calls', async () => {
  await using bench = await Bench.start({ turns: [waits, refused, runsAll] });
  const { fork, there } = await forkOfWaiting(bench);
  await fork.approve();
  expect((await fork.run({ pollInterval: 20 })).status).toBe('finished');
  expect(there.log.filter(({ kind }) => kind === 'ObservationEvent')).toHaveLength(2);
  const failure = there.log.find(({ kind }) => kind === 'ConversationErrorEvent');
  expect(there.headMoves).toEqual([failure?.id]);
  expect(there.runs).toBe(2);
});

test.each([
  ['says something', (one) => (one.answer(one.pending), one.say('I go on.'), failed(one))],
  ['makes another call', (one) => (one.answer(one.pending), one.answer(one.call('c')), failed(one))],
] satisfies readonly [string, FakeTurn][])(
  'P5: the run of a fork that fails after the model %s is not made again',
  async (_, fails) => {
    await using bench = await Bench.start({ turns: [waits, fails, runsAll] });
    const { fork, there } = await forkOfWaiting(bench);
    await fork.approve();
    await expect(fork.run({ pollInterval: 20 })).rejects.toMatchObject({ code: 'RUN_FAILED' });
    expect([there.runs, there.headMoves]).toEqual([1, []]);
  },
);

test('P10: a message to a fork rejects its waiting calls before the server could run them', async () => {
  await using bench = await Bench.start({ turns: [waits, runsAll] });
  const { fork, there } = await forkOfWaiting(bench);
  await fork.sendMessage('Something else');
  await fork.run({ pollInterval: 20 });
  const [, last] = there.log.filter(({ kind }) => kind === 'UserRejectObservation');
  expect(there.headMoves).toEqual([last?.id]);
  const kinds = told(there.log).filter((one) => !one.startsWith('status'));
  expect(kinds).not.toContain('ObservationEvent');
  expect(kinds.slice(-4)).toEqual(['UserRejectObservation', 'UserRejectObservation', 'user', 'agent']);
});

for (const status of ['idle', 'paused', 'error', 'stuck'])
  test(`P10: calls left in a conversation that is ${status} wait for a person, and a message rejects them`, async () => {
    const leaves: FakeTurn = (one) => (one.call('a'), status);
    await using bench = await Bench.start({ turns: [leaves, runsAll] });
    const made = await bench.open({ confirmationPolicy: policy });
    bench.server.conversation.call('a');
    bench.server.conversation.setStatus(status);
    const again = await bench.openAgain(made.id);
    expect(again.state.executionStatus).toBe('waiting_for_confirmation');
    await again.sendMessage('Something else');
    expect(again.state.pendingActions).toEqual([]);
    expect(again.state.executionStatus).toBe(status);
  });

test('P10: calls at work are neither asked about nor rejected by a message', async () => {
  const [working, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works: FakeTurn = async (one) => {
    const calls = one.call('slow');
    working.resolve();
    await gate.promise;
    one.answer(calls);
    return 'finished';
  };
  await using bench = await Bench.start({ turns: [works] });
  const conversation = await bench.open({ confirmationPolicy: policy });
  await conversation.sendMessage('Go');
  const ended = conversation.run({ pollInterval: 20 });
  await working.promise;
  await conversation.sendMessage('One more thing');
  expect(conversation.state.executionStatus).toBe('running');
  gate.resolve();
  expect((await ended).status).toBe('finished');
  expect(told(bench.server.conversation.log)).not.toContain('UserRejectObservation');
});

test('calls that are left are no question without a policy that asks, and a message rejects them', async () => {
  await using bench = await Bench.start();
  const made = await bench.open();
  bench.server.conversation.call('a');
  const again = await bench.openAgain(made.id);
  expect(again.state.executionStatus).toBe('idle');
  await again.sendMessage('Something else');
  expect(again.state.pendingActions).toEqual([]);
});

test('P10: a fork keeps the policy and the analyzer in force, even if its server gives it the first ones', async () => {
  await using bench = await Bench.start();
  const source = await bench.open({ confirmationPolicy: { kind: 'NeverConfirm' } });
  await source.settings.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
  await source.settings.setConfirmationPolicy(policy);
  const there = bench.server.conversations.get(await source.history.fork());
  expect(there?.policy).toEqual(policy);
  expect(there?.analyzer).toEqual({ kind: 'LLMSecurityAnalyzer' });
});

test('P10: a fork that cannot be given the policy in force is not made', async () => {
  await using bench = await Bench.start();
  const source = await bench.open();
  await source.settings.setConfirmationPolicy(policy);
  bench.server.options = {
    fault: ({ path }) => (path.endsWith('/confirmation_policy') ? { status: 500 } : undefined),
  };
  const refused = await source.history.fork().catch((error: unknown) => error);
  expect(isConversationError(refused, 'SERVER_FAILED')).toBe(true);
  expect([...bench.server.conversations.keys()]).toEqual([source.id]);
});

const withKey = { kind: 'Agent', llm: { model: 'fake', usage_id: 'agent', api_key: 'key-of-fake' } };

test('a fork has the key of its model where the caller gave it, also after a switch of the model', async () => {
  await using bench = await Bench.start();
  const source = await bench.open({ agent: withKey });
  expect(source.features.keylessForks).toBe(false);
  const modelOf = async (): Promise<unknown> => {
    const there = bench.server.conversations.get(await source.history.fork());
    return there?.agent.llm;
  };
  expect(await modelOf()).toMatchObject({ model: 'fake', api_key: 'key-of-fake' });
  await source.settings.setModel({ model: 'other', usage_id: 'agent', api_key: 'key-of-other' });
  expect(await modelOf()).toMatchObject({ model: 'other', api_key: 'key-of-other' });
});

test('a fork whose key was not given here is announced as one without a key', async () => {
  await using bench = await Bench.start();
  const source = await bench.open({ agent: withKey });
  const other = await bench.openAgain(source.id);
  expect(other.features.keylessForks).toBe(true);
  await source.settings.setModel({ model: 'other', usage_id: 'agent', api_key: 'key-of-other' });
  await other.settings.setModel({ model: 'third', usage_id: 'agent', api_key: 'key-of-third' });
  expect(other.features.keylessForks).toBe(false);
  await source.settings.setTitle('Another');
  expect(source.features.keylessForks).toBe(true);
});

test('each switch of the model is in force, also on a server that keeps the first model of a usage id', async () => {
  await using bench = await Bench.start();
  const source = await bench.open({ agent: withKey });
  for (const model of ['second', 'third', 'second']) {
    await source.settings.setModel({ model, usage_id: 'agent', api_key: 'a-key' });
    expect(bench.server.conversation.agent.llm).toMatchObject({ model });
    expect(source.state.agent['llm']).toMatchObject({ model });
  }
});
