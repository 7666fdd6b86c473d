import { describe, expect, test } from 'vitest';

import { gate } from '../support/bench.ts';
import { CALL, childIds, family, helper, ok, task } from '../support/family.ts';

describe('a conversation that works for another one', () => {
  test('P10: a parent works with eight children at the same time, outside of its own lock', async () => {
    const started = gate();
    let running = 0;
    const tasks = Array.from({ length: 8 }, () =>
      task(
        helper({
          think: async ({ number }) => {
            if (number === 1) return ['work', 'work'];
            if (++running === 8) started.open();
            await started.pass();
            return 'helped';
          },
        }),
      ),
    );
    const home = await family({ tasks });
    const going = home.go();
    await started.reached;
    // a message waits for nothing, although eight children are at work
    const sent = await home.parent.sendMessage('by the way');
    expect(sent.queued).toBe(true);
    expect((await going).status).toBe('finished');
    expect(home.results.map((result) => ok(result).status)).toEqual(Array.from({ length: 8 }, () => 'finished'));
    expect(home.parent.state.metrics).toMatchObject({ llmCallCount: 18 });
    const results = (await home.parent.events.slice()).filter(({ kind }) => kind === 'ObservationEvent');
    expect(results).toHaveLength(8);
  });

  test('a child conversation works on one task at a time', async () => {
    const held = gate();
    const agent = helper({
      think: async () => {
        await held.pass();
        return 'helped';
      },
    });
    const home = await family({ tasks: [task(agent)] });
    const going = home.go();
    await held.reached;
    const [id = ''] = await childIds(home.store);
    await expect(home.children().run({ prompt: 'more', id }, CALL)).rejects.toMatchObject({
      code: 'BUSY',
    });
    held.open();
    await going;
  });
});
