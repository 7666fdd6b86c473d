import { expect, test } from 'vitest';

import { Bench, collect } from '../support/bench.ts';

/** A release of OpenHands whose servers number events and announce nothing. */
const NEWER = '1.58.2';

test.for([
  ['1.43.1', 'events'],
  ['1.44.1', 'events'],
  ['1.45.0', 'session'],
  [NEWER, 'session'],
  ['2.0.0', 'session'],
  ['unknown', 'events'],
] as const)('a server of release %s is followed by its socket for %s', async ([version, kind]) => {
  await using bench = await Bench.start({ version });
  await bench.open();
  await bench.until(() => bench.server.sockets.size > 0);
  expect([...bench.server.sockets].map((socket) => socket.kind)).toEqual([kind]);
  expect(bench.server.count('GET', /server_info/)).toBe(1);
});

test('P11: the socket of a newer server brings what a client has missed, and no page is read again', async () => {
  await using bench = await Bench.start({ version: NEWER });
  const conversation = await bench.open();
  const { seen } = collect(conversation);
  const { conversation: fake } = bench.server;
  fake.say('One.');
  await bench.until(() => conversation.events.length === fake.log.length);
  const [first] = bench.server.sockets;
  const pages = bench.server.count('GET', /events\/search/);
  fake.fill(250);
  first?.socket.terminate();
  await bench.until(() => conversation.events.length === fake.log.length);
  fake.say('Two.');
  await bench.until(() => seen.length === fake.log.length);
  expect(seen.map(({ id }) => id)).toEqual(fake.log.map(({ id }) => id));
  expect(bench.server.count('GET', /events\/search/)).toBe(pages);
});

test('P11: another log behind the socket of a newer server is found, whatever the socket brings', async () => {
  await using bench = await Bench.start({ version: NEWER });
  const conversation = await bench.open();
  const { conversation: fake } = bench.server;
  fake.say('One.');
  fake.say('Two.');
  await bench.until(() => conversation.events.length === fake.log.length);
  const before = await conversation.events.slice();
  const ended = new Promise((resolve) => conversation.subscribe({ onEvent: () => {}, onError: resolve }));
  fake.rollBack(1);
  fake.fill(4);
  for (const { socket } of bench.server.sockets) socket.terminate();
  expect(await ended).toMatchObject({ code: 'LOG_CHANGED' });
  expect((await conversation.events.slice()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});
