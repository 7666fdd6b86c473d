import { toEventIndex } from '@conv/core/store';
import { expect, test } from 'vitest';

import { Bench, collect, KINDS } from '../support/bench.ts';
import type { FakeTurn } from '../support/fake-conversation.ts';

for (const [kind, capabilities] of KINDS) {
  test.for([
    ['is shorter', 15],
    ['has grown to the same length', 40],
    ['has grown beyond what it was', 90],
  ] as const)(
    `P11: a log that was rolled back and %s ends subscriptions with LOG_CHANGED (${kind})`,
    async ([, length]) => {
      await using bench = await Bench.start({ capabilities });
      const { id } = await bench.open();
      const { conversation: fake } = bench.server;
      fake.fill(40);
      const requests = { requestTimeout: 50, backoff: { first: 5, most: 50 } };
      const workspace = bench.workspace({ requests });
      const conversation = await bench.open({ id, create: 'never', workspace });
      await bench.until(() => fake.listeners.size > 1);
      const numbers: number[] = [];
      const errors: unknown[] = [];
      const subscription = conversation.subscribe(
        { onEvent: (_, index) => void numbers.push(index), onError: (error) => void errors.push(error) },
        { from: toEventIndex(40) },
      );
      await bench.server.stop();
      fake.rollBack(10);
      fake.fill(length);
      await bench.server.start();
      await bench.until(() => errors.length > 0);
      expect(errors).toEqual([expect.objectContaining({ code: 'LOG_CHANGED', conversationId: id })]);
      expect(numbers).toEqual([]);
      await subscription.caughtUp(toEventIndex(1_000));
      await expect(conversation.run()).rejects.toMatchObject({ code: 'LOG_CHANGED' });
      await expect(conversation.sendMessage('Go')).rejects.toMatchObject({ code: 'LOG_CHANGED' });
      const anew = await bench.open({ id, create: 'never' });
      expect(anew.events.length).toBe(length);
    },
  );

  test(`a subscriber that lags behind is notified too, and a waiting run ends (${kind})`, async () => {
    const turn = (): Promise<string> => new Promise(() => {});
    await using bench = await Bench.start({ capabilities, turns: [turn] });
    const { id } = await bench.open();
    const { conversation: fake } = bench.server;
    fake.fill(400);
    const conversation = await bench.open({ id, create: 'never' });
    const gate = Promise.withResolvers<void>();
    const errors: unknown[] = [];
    conversation.subscribe(
      { onEvent: () => gate.promise, onError: (error) => void errors.push(error) },
      { from: toEventIndex(0) },
    );
    const ended = conversation.run({ pollInterval: 20 }).catch((error: unknown) => error);
    await bench.until(() => fake.runs === 1);
    await bench.server.stop();
    fake.rollBack(3);
    fake.fill(500);
    await bench.server.start();
    expect(await ended).toMatchObject({ code: 'LOG_CHANGED' });
    gate.resolve();
    expect(errors).toEqual([expect.objectContaining({ code: 'LOG_CHANGED' })]);
  });
}

test('a log whose end a server does not show for a while is not another one, and a run waits for it', async () => {
  const gate = Promise.withResolvers<void>();
  const turn: FakeTurn = async (one) => (await gate.promise, one.say('Done.'), 'finished');
  await using bench = await Bench.start({ turns: [turn] });
  const conversation = await bench.open();
  const { seen } = collect(conversation);
  const { conversation: fake } = bench.server;
  await conversation.sendMessage('Go');
  const ended = conversation.run({ pollInterval: 10 });
  await bench.until(() => fake.runs === 1 && seen.length === fake.log.length);
  fake.hide(1);
  const asked = bench.server.count('GET', /search$/);
  await bench.until(() => bench.server.count('GET', /search$/) > asked + 5);
  // it is shown again when it was not listed and is counted next
  bench.server.options = {
    ...bench.server.options,
    fault: ({ path }) => (path.endsWith('/count') && fake.hide(0), undefined),
  };
  await bench.until(() => fake.visible.length === fake.log.length);
  gate.resolve();
  expect((await ended).status).toBe('finished');
  expect(seen.map(({ id }) => id)).toEqual(fake.log.map(({ id }) => id));
});
