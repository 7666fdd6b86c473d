import { expect, test } from 'vitest';

import { summarise, tooSlowAt, wouldTake, type Cell } from '../src/peers/cell.ts';
import { toPeerJsonLines, toPeerTables } from '../src/peers/peer-table.ts';
import { rowsOf, type PeerResult } from '../src/peers/result.ts';

const programs = [
  { key: 'bare-file', title: 'bare file', kind: 'files', synced: 'fdatasync' },
  { key: 'quick', title: 'Quick', kind: 'files', synced: 'nothing' },
  { key: 'held', title: 'Held', kind: 'memory', synced: 'nothing' },
] as const;

function resultOf(...cells: readonly Cell[]): PeerResult {
  return {
    peers: programs,
    servers: [{ key: 'conv-server', title: 'Our server' }],
    sizes: [1, 1000],
    listed: 300,
    versions: { node: '24.0.0', quick: '1.2.3' },
    machine: { processor: '2 × Slow', memory: '24 GiB', system: 'Linux 6.1', disk: 'ext4' },
    parts: [{ date: '2026-11-30', commit: 'abc123' }],
    cells,
  };
}

test('a measurement has its middle, its spread and the middle of the baseline beside it', () => {
  const values = Array.from({ length: 11 }, (_, index) => index);
  expect(summarise(values, [2])).toEqual({ value: 5, low: 1, high: 9, bare: 2, samples: 11 });
  expect(summarise([3]).bare).toBeNull();
  expect(() => summarise([])).toThrow(RangeError);
});

test('the spread of a few values reaches from the lowest to the highest', () => {
  expect(summarise([7, 1, 3])).toMatchObject({ value: 3, low: 1, high: 7 });
});

test('a ratio is taken to the baseline that alternated, else to the bare program at the same size', () => {
  const bare = { work: 'fork', peer: 'bare-file', size: 1, measured: summarise([4]) } as const;
  const fork = { work: 'fork', peer: 'quick', size: 1, measured: summarise([8]) } as const;
  const append = { work: 'append', peer: 'quick', size: 1, measured: summarise([9], [3]) } as const;
  const result = resultOf(bare, fork, append);
  const ratioOf = (work: 'fork' | 'append'): number | null | undefined =>
    rowsOf(work, result).find(({ title }) => title === 'Quick')?.cells[0]?.ratio;
  expect(ratioOf('fork')).toBe(2);
  expect(ratioOf('append')).toBe(3);
});

test('a program without a bare baseline of its storage has no ratio', () => {
  const held = { work: 'fork', peer: 'held', size: 1, measured: summarise([8]) } as const;
  const [, , row] = rowsOf('fork', resultOf(held));
  expect(row?.cells[0]).toEqual({ cell: held, ratio: null });
});

test('the table keeps the row of a program that cannot do a work, and says why once', () => {
  const cannot = 'no fork of a stream';
  const table = toPeerTables(
    resultOf({ work: 'fork', peer: 'quick', size: 1, cannot }, { work: 'fork', peer: 'quick', size: 1000, cannot }),
  );
  const row = table.split('\n').filter((line) => line.includes(cannot));
  expect(row).toHaveLength(1);
  expect(row[0]).toMatch(/^ {2}Quick +cannot +cannot {2}no fork of a stream$/);
});

test('a reason that is not about each size names its sizes', () => {
  const lost = { work: 'many', peer: 'quick', size: 1, measured: summarise([8]), note: '3 lost' } as const;
  const slow = { work: 'many', peer: 'quick', size: 1000, cannot: 'took over 60 s' } as const;
  expect(rowsOf('many', resultOf(lost, slow))[1]?.remarks).toEqual(['at 1: 3 lost', 'at 1,000: took over 60 s']);
});

test('the table states machine and day', () => {
  expect(toPeerTables(resultOf())).toContain('Machine: date 2026-11-30, commit of ours abc123, processor 2 × Slow');
});

test('the table states the versions, and when an append resolves', () => {
  const table = toPeerTables(resultOf());
  expect(table).toContain('Versions: node 24.0.0, quick 1.2.3');
  expect(table).toMatch(/bare file +fdatasync/);
});

test('the table shows messages that were lost beside the time', () => {
  const note = 'of 192 appends 189 lost';
  const table = toPeerTables(resultOf({ work: 'many', peer: 'quick', size: 1, measured: summarise([8]), note }));
  expect(table).toMatch(/Quick +8 +of 192 appends 189 lost/);
});

test('agent servers have tables of their own, at the sizes at which they were measured', () => {
  const table = toPeerTables(
    resultOf(
      { work: 'runs', peer: 'conv-server', size: 200, measured: summarise([900]) },
      { work: 'fork', peer: 'quick', size: 1, measured: summarise([4]) },
    ),
  );
  const [, runs = ''] = table.split('Steps of all runs at once');
  expect(runs).toMatch(/at 200\n +Our server +900/);
  expect(runs).not.toContain('Quick');
  const [, fork = ''] = table.split('Fork, ms');
  expect(fork.slice(0, 200)).not.toContain('Our server');
});

test('conversations are listed at one size, which is none of the sizes of a conversation', () => {
  const cell = { work: 'list', peer: 'quick', size: 300, measured: summarise([7]) } as const;
  expect(toPeerTables(resultOf(cell))).toMatch(/List all conversations.*\n +at 300\n(.*\n)?.*Quick +7/);
});

test('JSON lines hold each cell with its unit, spread and ratio, or its reason', () => {
  const lines = toPeerJsonLines(
    resultOf(
      { work: 'append', peer: 'quick', size: 1, measured: summarise([9], [3]) },
      { work: 'fork', peer: 'held', size: 1, cannot: 'no call for it' },
    ),
  );
  expect(lines.split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
    { work: 'append', peer: 'quick', size: 1, unit: 'ms', value: 9, low: 9, high: 9, bare: 3, samples: 1, ratio: 3 },
    { work: 'fork', peer: 'held', size: 1, cannot: 'no call for it', unit: 'ms', ratio: null },
  ]);
});

test('a work that took too long is not tried at larger sizes, with the size at which it did', () => {
  const at = (size: number, cannot: string): string | undefined =>
    tooSlowAt({ work: 'fork', peer: 'quick', size, cannot });
  const first = at(1000, 'took over 60 s');
  expect(first).toBe('not tried: took over 60 s at 1,000');
  expect(at(10_000, first ?? '')).toBe(first);
  expect(at(1000, wouldTake('64 appends', 70_000))).toBe('not tried: 64 appends would take about 70 s at 1,000');
  expect(at(1000, 'no fork of a stream')).toBeUndefined();
  expect(tooSlowAt({ work: 'fork', peer: 'quick', size: 1, measured: summarise([4]) })).toBeUndefined();
});
