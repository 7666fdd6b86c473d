import { expect, test } from 'vitest';

import { GoalAtWork } from '../../src/commands/goal-at-work.ts';
import { Lifetime } from '../../src/commands/lifetime.ts';
import { ActiveRun } from '../../src/run/active-run.ts';

const newLifetime = (goal: GoalAtWork = new GoalAtWork()): Lifetime => new Lifetime('the-id', new ActiveRun(), goal);

test('the signal of a lifetime is aborted with CLOSED, although it is first asked for after the end', () => {
  const early = newLifetime();
  const { ended } = early;
  expect(ended.aborted).toBe(false);
  early.end();
  const late = newLifetime();
  late.end();
  for (const signal of [ended, late.ended]) expect(signal.reason).toMatchObject({ code: 'CLOSED' });
});

test('the work of a close is done once, and no command is accepted from its beginning', async () => {
  const lifetime = newLifetime();
  lifetime.assertFree();
  const { promise, resolve } = Promise.withResolvers<void>();
  let times = 0;
  const work = (): Promise<void> => {
    times += 1;
    return promise;
  };
  const closes = [lifetime.close(work), lifetime.close(work)];
  expect(() => lifetime.assertOpen()).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  resolve();
  await Promise.all(closes);
  expect(times).toBe(1);
});

test('a goal at work makes a conversation busy, and not closed', () => {
  const goal = new GoalAtWork();
  const lifetime = newLifetime(goal);
  const nothing = (): Promise<void> => Promise.resolve();
  goal.made({ active: true, supersede: () => undefined, end: nothing, interrupt: nothing });
  lifetime.assertOpen();
  expect(() => lifetime.assertFree()).toThrow(expect.objectContaining({ code: 'BUSY' }));
});
