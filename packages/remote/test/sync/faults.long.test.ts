import { isConversationError } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { Bench, collect, KINDS, NUMBERED } from '../support/bench.ts';
import type { FakeConversation, FakeTurn } from '../support/fake-conversation.ts';
import type { FakeSocket, RequestFault, SeenRequest } from '../support/fake-server.ts';

/** Numbers from 0 to below 1 that are the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A turn of many events, some time apart. */
const busy: FakeTurn = async (conversation) => {
  for (let step = 0; step < 15; step++) {
    conversation.answer(conversation.call(`step ${step}`));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  conversation.say('Done.');
  return 'finished';
};

const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id);

/** Drops, doubles, holds back and cuts frames. */
function frameFaults(next: () => number): (frame: unknown, to: FakeSocket) => void {
  const held: unknown[] = [];
  return (frame, to) => {
    const what = next();
    if (what < 0.1) return;
    if (what < 0.2) to.send(frame);
    if (what < 0.3) return void held.push(frame);
    to.send(frame);
    for (const late of held.splice(0)) to.send(late);
    if (what > 0.95) to.socket.terminate();
  };
}

/** Loses and cuts off answers of reads and of messages. */
function requestFaults(next: () => number): (request: SeenRequest) => RequestFault | undefined {
  return ({ path, method }) => {
    if (path === '/server_info' || (method === 'POST' && path === '/api/conversations')) return undefined;
    const what = next();
    if (what < 0.05) return 'lose';
    if (what < 0.1) return 'truncate';
    if (what < 0.12) return 'cut';
    return what < 0.15 ? { status: 503 } : undefined;
  };
}

for (const [kind, capabilities] of KINDS) {
  describe(kind, () => {
    test.for([1, 2, 3, 4])(
      'P11: callbacks see each event once and in order, and a run ends whole, whatever is lost (seed %i)',
      async (seed) => {
        await using bench = await Bench.start({ capabilities, turns: [busy] });
        const conversation = await bench.open({ subscriberGrace: 20_000 }, { finishedGrace: 200 });
        const { seen, numbers } = collect(conversation);
        const next = random(seed);
        bench.server.options = { ...bench.server.options, onFrame: frameFaults(next), fault: requestFaults(next) };
        for (const { socket } of bench.server.sockets) socket.terminate();
        for (let round = 0; round < 3; round++) {
          await conversation.sendMessage(`round ${round}`);
          expect((await conversation.run({ pollInterval: 30 })).status).toBe('finished');
          expect(idsOf(seen)).toEqual(idsOf(bench.server.conversation.log));
        }
        expect(numbers).toEqual(seen.map((_, index) => index));
        const messages = bench.server.conversation.log.filter(({ source }) => source === 'user');
        expect(messages.filter(({ kind: one }) => one === 'MessageEvent')).toHaveLength(3);
      },
    );

    test('a message whose answer was lost is sent once, and a run whose answer was lost runs once', async () => {
      await using bench = await Bench.start({ capabilities });
      const conversation = await bench.open();
      const lost = new Set<string>();
      bench.server.options = {
        ...bench.server.options,
        fault: ({ method, path }) => {
          if (method !== 'POST' || lost.has(path)) return undefined;
          lost.add(path);
          return 'lose';
        },
      };
      const sent = await conversation.sendMessage('Once');
      expect((await conversation.run({ pollInterval: 30 })).status).toBe('finished');
      await conversation.pause();
      const { log, runs } = bench.server.conversation;
      expect(log.filter((event) => event.kind === 'MessageEvent' && event['source'] === 'user')).toHaveLength(1);
      expect(log.find(({ id }) => id === sent.id)?.kind).toBe('MessageEvent');
      expect(runs).toBe(1);
      expect([...lost].map((path) => path.split('/').at(-1))).toEqual(['events', 'run', 'pause']);
    });

    test('a run whose start was lost is started although another user sent a message meanwhile', async () => {
      await using bench = await Bench.start({ capabilities });
      const conversation = await bench.open();
      await conversation.sendMessage('Go');
      let lost = 0;
      bench.server.options = {
        ...bench.server.options,
        fault: ({ path }) => {
          if (!path.endsWith('/run') || lost++ > 0) return undefined;
          bench.server.conversation.receive([{ type: 'text', text: 'And quickly' }]);
          return { status: 502 };
        },
      };
      expect((await conversation.run({ pollInterval: 30 })).status).toBe('finished');
      expect(bench.server.conversation.runs).toBe(1);
    });

    test('a conversation is made once although the answer to its creation was lost', async () => {
      let lost = 0;
      await using bench = await Bench.start({
        capabilities,
        fault: ({ method, path }) =>
          method === 'POST' && path === '/api/conversations' && lost++ === 0 ? 'lose' : undefined,
      });
      const conversation = await bench.open({ create: 'must' });
      expect(bench.server.count('POST', /conversations$/)).toBe(2);
      expect([...bench.server.conversations.keys()]).toEqual([conversation.id]);
    });

    test('a run that is over before its acceptance was answered is noticed without waiting for a poll', async () => {
      await using bench = await Bench.start({ capabilities, turns: [(one) => (one.say('Fast.'), 'finished')] });
      const conversation = await bench.open({}, { finishedGrace: 1_000_000 });
      await conversation.sendMessage('Go');
      bench.server.options = {
        ...bench.server.options,
        // the run ends while the answer to its start is on its way
        fault: async ({ path }) => {
          if (path.endsWith('/run')) await new Promise((resolve) => setTimeout(resolve, 20));
          return undefined;
        },
      };
      expect((await conversation.run({ pollInterval: 1_000_000 })).status).toBe('finished');
    });

    test('a snapshot of before the start is not the end of a run', async () => {
      const gate = Promise.withResolvers<void>();
      const slow = async (one: FakeConversation): Promise<string> => (await gate.promise, one.say('Done.'), 'finished');
      await using bench = await Bench.start({ capabilities, turns: [() => 'finished', slow] });
      const conversation = await bench.open();
      await conversation.sendMessage('Go');
      await conversation.run({ pollInterval: 20 });
      const ended = conversation.run({ pollInterval: 20 });
      const stale = { ...bench.server.conversation.snapshot(), value: { execution_status: 'finished' } };
      for (const socket of bench.server.sockets)
        socket.send(capabilities.length > 0 ? { type: 'transient', event: stale } : stale);
      await new Promise<void>((resolve) => {
        const unsubscribe = conversation.subscribe({ onStateChange: () => (unsubscribe.unsubscribe(), resolve()) });
      });
      bench.server.conversation.append({ kind: 'CondensationRequest', source: 'environment' } as never);
      gate.resolve();
      expect(await ended).toEqual({ status: 'finished', iterations: 1 });
      const last = await conversation.events.at(capabilities.length > 0 ? -1 : -2);
      expect(last && isEvent(last, 'MessageEvent') && last.source).toBe('agent');
    });

    test('a server that restarts in the middle of a run costs only time', async () => {
      const [away, back] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const turn: FakeTurn = async (one) => {
        one.answer(one.call('before'));
        away.resolve();
        await back.promise;
        one.answer(one.call('after'));
        one.say('Done.');
        return 'finished';
      };
      await using bench = await Bench.start({ capabilities, turns: [turn] });
      const conversation = await bench.open();
      const { seen } = collect(conversation);
      await conversation.sendMessage('Go');
      const ended = conversation.run({ pollInterval: 20 });
      await away.promise;
      await bench.server.stop();
      back.resolve();
      await bench.server.start();
      expect((await ended).status).toBe('finished');
      expect(idsOf(seen)).toEqual(idsOf(bench.server.conversation.log));
    });

    test('the client reconnects less and less often to a server that closes each socket at once', async () => {
      let opened = 0;
      let waited = false;
      const enough = Promise.withResolvers<void>();
      await using bench = await Bench.start({
        capabilities,
        onSocket: ({ socket }) => {
          // at least half of 20, 40, 80, 160, 320 and 640 ms lies between the first and the seventh
          if (opened === 0) setTimeout(() => (waited = true), 600);
          socket.close(1000);
          if (++opened === 7) enough.resolve();
        },
      });
      const requests = { backoff: { first: 20, most: 1000 } };
      await bench.open({ workspace: bench.workspace({ requests }) });
      await enough.promise;
      expect(waited).toBe(true);
    });

    test('P11: a frame that was lost is noticed although no other one follows', async () => {
      await using bench = await Bench.start({ capabilities });
      const conversation = await bench.open({}, { heartbeat: 30 });
      const { seen } = collect(conversation);
      const { conversation: fake } = bench.server;
      await bench.until(() => fake.listeners.size > 0);
      bench.server.options = { ...bench.server.options, onFrame: () => {} };
      fake.say('Nobody is told.');
      await bench.until(() => seen.length === 1);
    });

    test('a half-open socket is given up and opened again', async () => {
      const again = Promise.withResolvers<void>();
      await using bench = await Bench.start({
        capabilities,
        answersPings: false,
        onSocket: ({ nth }) => nth > 0 && again.resolve(),
      });
      await bench.open({}, { heartbeat: 20 });
      await again.promise;
    });

    test.for([
      [4001, 'DENIED'],
      [4003, 'DENIED'],
      [4004, 'NOT_FOUND'],
    ] as const)('a socket closed with %i is final: %s', async ([code, error]) => {
      await using bench = await Bench.start({ capabilities, turns: [() => new Promise(() => {})] });
      const conversation = await bench.open();
      await conversation.sendMessage('Go');
      const ended = conversation.run({ pollInterval: 20 }).catch((reason: unknown) => reason);
      await conversation.settings.setTags({ a: 'b' });
      for (const { socket } of bench.server.sockets) socket.close(code);
      expect(isConversationError(await ended, error)).toBe(true);
      expect(bench.server.connections).toBe(1);
    });

    test('a key that the server takes back is final', async () => {
      await using bench = await Bench.start({ capabilities, apiKey: 'right', turns: [() => new Promise(() => {})] });
      const conversation = await bench.open({ workspace: bench.workspace({ apiKey: 'right' }) });
      await conversation.sendMessage('Go');
      const ended = conversation.run({ pollInterval: 20 }).catch((reason: unknown) => reason);
      await conversation.settings.setTags({ a: 'b' });
      bench.server.options = { ...bench.server.options, apiKey: 'another' };
      for (const { socket } of bench.server.sockets) socket.terminate();
      expect(isConversationError(await ended, 'DENIED')).toBe(true);
    });

    test('P12: the client reads only what is missing after a cut, of however long a log', async () => {
      await using bench = await Bench.start({ capabilities });
      const first = await bench.open();
      const { conversation: fake } = bench.server;
      fake.fill(60_000);
      await first.close();
      bench.server.requests.length = 0;
      const conversation = await bench.open({ id: first.id, create: 'never' });
      expect(conversation.events.length).toBe(60_000);
      expect(bench.server.requests.length).toBeLessThan(8);
      const { seen } = collectFrom(conversation, 60_000);
      bench.server.requests.length = 0;
      const [cut, back] = [bench.server.sockets.values().next().value, Promise.withResolvers<void>()];
      bench.server.options = { ...bench.server.options, onSocket: () => back.resolve() };
      cut?.socket.terminate();
      for (let missed = 0; missed < 10; missed++) fake.say(`missed ${missed}`);
      await back.promise;
      await bench.until(() => seen.length === 10);
      expect(idsOf(seen)).toEqual(idsOf(fake.log.slice(60_000)));
      const searches = bench.server.requests.filter(({ path }) => path.endsWith('/search'));
      expect(searches.length).toBeLessThanOrEqual(2);
      expect(searches.every(({ query }) => query.get('page_id') !== null)).toBe(true);
    });
  });
}

test('P11: a subscriber that is behind when its conversation is closed is given nothing from farther on', async () => {
  await using bench = await Bench.start();
  const { id } = await bench.open();
  for (let said = 0; said < 150; said++) bench.server.conversation.say(`${said}`);
  const conversation = await bench.open({ id });
  const asked = Promise.withResolvers<void>();
  bench.server.options = {
    ...bench.server.options,
    fault: ({ path }) => {
      if (!path.endsWith('/search')) return undefined;
      asked.resolve();
      return 'cut';
    },
  };
  const numbers: number[] = [];
  const subscription = conversation.subscribe(
    { onEvent: (_, index) => void numbers.push(index) },
    { from: 0 as never },
  );
  await asked.promise;
  await conversation.close();
  expect(numbers).toEqual([]);
  expect(subscription.position).toBe(0);
});

test('P11: an event that a socket announces before REST has it is waited for', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const { seen } = collect(conversation);
  const { conversation: fake } = bench.server;
  const asked = Promise.withResolvers<void>();
  fake.hide(1);
  bench.server.options = {
    ...bench.server.options,
    fault: ({ path }) => (path.endsWith('/search') && asked.resolve(), undefined),
  };
  fake.say('Early.');
  await asked.promise;
  expect(seen).toEqual([]);
  fake.hide(0);
  await bench.until(() => seen.length === 1);
});

test('a gap in the numbers of a socket is read by REST, and a number that was seen is left out', async () => {
  await using bench = await Bench.start({ capabilities: NUMBERED });
  const conversation = await bench.open();
  const { seen } = collect(conversation);
  const { conversation: fake } = bench.server;
  await bench.until(() => fake.listeners.size > 0);
  const frames: unknown[] = [];
  bench.server.options = { ...bench.server.options, onFrame: (frame) => void frames.push(frame) };
  fake.say('One.');
  fake.say('Two.');
  fake.say('Three.');
  const [socket] = bench.server.sockets;
  for (const frame of [frames[2], frames[1], frames[0], frames[2]]) socket?.send(frame);
  await bench.until(() => seen.length >= 3);
  await conversation.pause();
  expect(idsOf(seen)).toEqual(idsOf(fake.log));
});

/** As {@link collect}, from an event on. */
function collectFrom(
  conversation: Parameters<typeof collect>[0],
  from: number,
): { readonly seen: { readonly id: string }[] } {
  const seen: { readonly id: string }[] = [];
  conversation.subscribe({ onEvent: (event) => void seen.push(event) }, { from: from as never });
  return { seen };
}
