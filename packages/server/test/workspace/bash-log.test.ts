import { expect, test } from 'vitest';

import { BashLog, stamp, type KeptBashEvent } from '../../src/workspace/bash-log.ts';

/** A log whose clock stands at `now`. */
function logWith(retention?: number) {
  let count = 0;
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const platform = { now: () => clock.now, id: () => `${count++}`.padStart(32, '0') };
  const log = new BashLog(platform, { capacity: 1e6, retention });
  const add = (): string => {
    const event: KeptBashEvent = { ...stamp(platform), command: 'ls', cwd: null, timeout: 1, kind: 'BashCommand' };
    log.add(event);
    return event.id;
  };
  return { log, clock, add };
}

test('events that are older than the retention are forgotten, by whatever way they are asked for', () => {
  const { log, clock, add } = logWith(10_000);
  const first = add();
  clock.now += 6000;
  const second = add();
  clock.now += 4000;
  expect(log.find({}).map(({ id }) => id)).toEqual([first, second]);
  clock.now += 1;
  expect(log.get(first)).toBeUndefined();
  expect(log.find({}).map(({ id }) => id)).toEqual([second]);
  clock.now += 10_000;
  expect(log.clear()).toBe(0);
});

test('nothing is forgotten for its age without a retention', () => {
  const { log, clock, add } = logWith();
  const id = add();
  clock.now += 1e12;
  expect(log.get(id)?.id).toBe(id);
});
