import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { Bench, KINDS } from '../support/bench.ts';

/** A clock that stands still, or was set back: nothing can be numbered by it. */
const CLOCKS: readonly (readonly [string, { readonly time?: string }])[] = [
  ['whose clock goes forward', {}],
  ['whose clock stands still', { time: '2026-01-01T00:00:00.000000' }],
];

for (const [kind, capabilities] of KINDS)
  for (const [clock, stamp] of CLOCKS)
    test(`P11: a log of more than a page ${clock} is opened while every request finds it longer (${kind})`, async () => {
      await using bench = await Bench.start({ capabilities });
      const { id } = await bench.open();
      const { conversation: fake } = bench.server;
      fake.fill(450, stamp);
      bench.server.options = {
        ...bench.server.options,
        fault: () => (fake.fill(fake.log.length + 3, stamp), undefined),
      };
      const conversation = await bench.open({ id, create: 'never' });
      for (const index of [0, 7, 449, conversation.events.length - 1])
        expect((await conversation.events.at(index))?.id).toBe(fake.log[index]?.id);
    });

test('a log whose events are not in the order of their times is numbered by counting', async () => {
  await using bench = await Bench.start();
  const { id } = await bench.open();
  const { conversation: fake } = bench.server;
  fake.fill(20, { time: '2099-01-01T00:00:00.000000' });
  fake.fill(300);
  bench.server.options = { ...bench.server.options, fault: () => (fake.fill(fake.log.length + 1), undefined) };
  const conversation = await bench.open({ id, create: 'never' });
  expect((await conversation.events.at(250))?.id).toBe(fake.log[250]?.id);
});

test('a pause is over although the server announces events without end', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const { conversation: fake } = bench.server;
  await bench.until(() => fake.listeners.size > 0);
  const announce = (): void => {
    const event = { ...fake.snapshot(), kind: 'PauseEvent', id: randomUUID(), source: 'user' };
    for (const socket of bench.server.sockets) socket.send(event);
  };
  bench.server.options = { ...bench.server.options, fault: () => (announce(), undefined) };
  await conversation.pause();
  expect(conversation.state.executionStatus).toBe('paused');
});
