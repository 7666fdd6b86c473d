import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { open, texts } from '../support/bench.ts';
import { CALL, family, helper, ok, task } from '../support/family.ts';

describe('a conversation that works for another one', () => {
  test('a child that is resumed by its id goes on with its whole history', async () => {
    const agent = helper({ think: ({ view }) => `seen ${view.length}` });
    const home = await family({ tasks: [task(agent)] });
    await home.go();
    const { id } = ok(home.results[0]);
    const again = await home.children().run({ prompt: 'more', id, agent }, CALL);
    expect(again).toMatchObject({ id, status: 'finished', answer: 'seen 4' });
    const own = await open(home.store, { id, agent });
    expect(await texts(own)).toEqual(['help', 'seen 2', 'more', 'seen 4']);
  });

  test('a child that is resumed after a finish call hands its parent the newest answer', async () => {
    const agent = helper({ think: ({ number }) => (number === 1 ? ['finish'] : 'Rome') });
    const home = await family({ tasks: [task(agent)] });
    await home.go();
    const { id, answer } = ok(home.results[0]);
    expect(answer).toBe('finished');
    expect(await home.children().run({ prompt: 'and Italy?', id, agent }, CALL)).toMatchObject({ answer: 'Rome' });
  });

  test('a parent waits for a child while another process owns the child for a moment', async () => {
    const agent = helper();
    const store = new FaultyStore();
    const home = await family({ tasks: [task(agent)], store });
    await home.go();
    const { id } = ok(home.results[0]);
    const held = await store.open(id, { create: 'never', owner: 'another opener' });
    const open = store.open.bind(store);
    let refused = 0;
    store.open = (...given) =>
      open(...given).catch(async (error: unknown) => {
        refused++;
        await held.close();
        throw error;
      });
    expect(await home.children().run({ prompt: 'more', id, agent }, CALL)).toMatchObject({ id, status: 'finished' });
    expect(refused).toBe(1);
  });

  test('the runtime finds a child and its agent after a restart, and its cost counts once', async () => {
    const agent = helper();
    const home = await family({ tasks: [task(agent)] });
    await home.go();
    const { id } = ok(home.results[0]);
    await home.parent.close();
    const later = await family({
      tasks: [{ prompt: 'more', id }],
      store: home.store,
      options: { id: home.parent.id },
      runtime: { agents: { revive: async () => agent } },
    });
    await later.go();
    expect(ok(later.results[0])).toMatchObject({ id, status: 'finished' });
    expect(later.parent.state.stats[`task:${id}`]).toMatchObject({ calls: 2, cost: 0.02 });
    expect(later.parent.state.metrics.totalCost).toBeCloseTo(0.06);
  });
});
