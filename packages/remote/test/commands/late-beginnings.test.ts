import { expect, test } from 'vitest';

import { Bench } from '../support/bench.ts';
import type { FakeTurn } from '../support/fake-conversation.ts';

/** Requests of looks at a server; more than the looks for which a status must stay to be believed. */
const MANY = 30;

test.each(['idle', 'paused', 'error', 'stuck', 'waiting_for_confirmation'])(
  'a run that begins late, in a conversation that is %s, has not ended before its beginning',
  async (before) => {
    const ready = Promise.withResolvers<void>();
    await using bench = await Bench.start({ ready: ready.promise });
    const conversation = await bench.open();
    bench.server.conversation.setStatus(before);
    await conversation.sendMessage('Go');
    const ended = conversation.run({ pollInterval: 5 });
    const early = Promise.race([ended, bench.until(() => looks(bench) >= MANY)]);
    expect(await early).toBe(undefined);
    ready.resolve();
    expect(await ended).toMatchObject({ status: 'finished' });
  },
);

test('a run that never begins has ended when its status has lasted for the grace', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  await using bench = await Bench.start({ ready: never });
  const conversation = await bench.open({}, { finishedGrace: 50 });
  await conversation.sendMessage('Go');
  expect(await conversation.run({ pollInterval: 5 })).toEqual({ status: 'idle', iterations: 0 });
});

test('a run of a finished conversation, which a server ends without a beginning, waits for no grace', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  await using bench = await Bench.start({ ready: never });
  const conversation = await bench.open({}, { finishedGrace: 600_000 });
  bench.server.conversation.setStatus('finished');
  expect(await conversation.run({ pollInterval: 5 })).toEqual({ status: 'finished', iterations: 0 });
});

test.each(['a call', 'an error'])(
  'a run that shows %s has begun, on a server whose sockets and log tell no status',
  async (shown) => {
    const capabilities = ['session_socket_v1'];
    await using bench = await Bench.start({
      capabilities,
      onFrame: () => {},
      turns: [
        (one) => {
          if (shown === 'a call') return (one.call('x'), 'waiting_for_confirmation');
          one.append({
            kind: 'ConversationErrorEvent',
            source: 'environment',
            code: 'MaxIterationsReached',
            detail: '',
          });
          return 'error';
        },
      ],
    });
    const conversation = await bench.open({}, { finishedGrace: 600_000 });
    await conversation.sendMessage('Go');
    const { status } = await conversation.run({ pollInterval: 5 });
    expect(status).toBe(shown === 'a call' ? 'waiting_for_confirmation' : 'error');
  },
);

test('a run that was joined has begun, so its end needs no event to be known at once', async () => {
  const [working, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const turn: FakeTurn = async () => {
    working.resolve();
    await gate.promise;
    return 'stuck';
  };
  await using bench = await Bench.start({ turns: [turn] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  await conversation.run({ blocking: false });
  await working.promise;
  const again = await bench.openAgain(conversation.id, { finishedGrace: 600_000 });
  const joined = again.run({ join: true, pollInterval: 5 });
  await bench.until(() => isJoined(bench));
  gate.resolve();
  expect(await joined).toMatchObject({ status: 'stuck' });
});

test('a run that began unseen has begun for the client that joins it', async () => {
  const [working, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const turn: FakeTurn = async () => {
    working.resolve();
    await gate.promise;
    return 'stuck';
  };
  // neither sockets nor the log tell the status
  await using bench = await Bench.start({ turns: [turn], capabilities: ['session_socket_v1'], onFrame: () => {} });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  const other = await bench.openAgain(conversation.id, { finishedGrace: 600_000 });
  await conversation.run({ blocking: false });
  await working.promise;
  const joined = other.run({ join: true, pollInterval: 5 });
  await bench.until(() => isJoined(bench));
  gate.resolve();
  expect(await joined).toMatchObject({ status: 'stuck' });
});

/** Requests since the run was accepted. */
function looks({ server }: Bench): number {
  const accepted = server.requests.findIndex(({ path }) => path.endsWith('/run'));
  return accepted < 0 ? 0 : server.requests.slice(accepted).length;
}

/** True if the second request for a run was answered, and its client has looked at the run more than once. */
function isJoined({ server }: Bench): boolean {
  const second = server.requests.findLastIndex(({ path }) => path.endsWith('/run'));
  return server.count('POST', /run$/u) === 2 && server.requests.length > second + 6;
}
