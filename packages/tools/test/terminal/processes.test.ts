import { expect, test } from 'vitest';

import { startedSince, type ProcessEntry } from '../../src/terminal/processes.ts';

const SHELL = 10;

function process(pid: number, started: number, more: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent: SHELL, group: pid, session: SHELL, foreground: SHELL, started, ...more };
}

function pids(entries: readonly ProcessEntry[]): readonly number[] {
  return entries.map(({ pid }) => pid);
}

test('processes started since a command began belong to it, but not a young child of an old job', () => {
  const entries = [
    process(11, 90),
    process(12, 110, { group: 11 }),
    process(13, 100),
    process(14, 120, { group: SHELL }),
  ];
  expect(pids(startedSince({ clock: 100, older: [] }, SHELL, entries))).toEqual([13, 14]);
});

test('processes from before a command do not belong to it, even if the clock shows the same age', () => {
  const older = [process(11, 101), process(12, 101, { group: SHELL })];
  const entries = [...older, process(13, 105, { group: 11 }), process(14, 101)];
  expect(pids(startedSince({ clock: 100, older }, SHELL, entries))).toEqual([14]);
});

test('a later process with the id of an older process belongs to the command', () => {
  const older = [process(11, 99)];
  expect(pids(startedSince({ clock: 100, older }, SHELL, [process(11, 104)]))).toEqual([11]);
});
