import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { SavedRun } from '../src/peers/saved-run.ts';

const FIRST = { date: '2026-11-30', commit: 'abc123' };
const SECOND = { date: '2026-12-01', commit: 'def456' };
const cells = [{ work: 'list', peer: 'conv-files', size: 300, cannot: 'took over 60 s' }] as const;
const one = { name: 'conv-files at 1', cells, filled: 4, seconds: 9 };
const two = { name: 'conv-files at 1000', cells: [], seconds: 10 };

function pathOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conv-bench-saved-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'below', 'peers.jsonl');
}

test('a run goes on with all results that were saved before it was stopped', () => {
  const path = pathOf();
  SavedRun.begin(path, 'subject', FIRST).add(one);
  const resumed = SavedRun.resume(path, 'subject', SECOND);
  expect(resumed.entry(one.name)).toEqual(one);
  expect(resumed.entry(two.name)).toBeUndefined();
  resumed.add(two);
  const whole = SavedRun.resume(path, 'subject', FIRST);
  expect([whole.entry(one.name), whole.entry(two.name)]).toEqual([one, two]);
  expect(whole.parts).toEqual([FIRST, SECOND]);
});

test('a resumed run in which nothing was measured adds no part', () => {
  const path = pathOf();
  SavedRun.begin(path, 'subject', FIRST).add(one);
  SavedRun.resume(path, 'subject', SECOND);
  expect(SavedRun.resume(path, 'subject', SECOND).parts).toEqual([FIRST]);
});

test('half a line that a killed process left is dropped, and the next result stands alone', () => {
  const path = pathOf();
  SavedRun.begin(path, 'subject', FIRST).add(one);
  appendFileSync(path, '{"entry":{"name":"conv-files at 10');
  const resumed = SavedRun.resume(path, 'subject', FIRST);
  expect(resumed.entry(one.name)).toEqual(one);
  resumed.add(two);
  expect(SavedRun.resume(path, 'subject', FIRST).entry(two.name)).toEqual(two);
});

test('a run that measured something else is refused, and stays', () => {
  const path = pathOf();
  SavedRun.begin(path, 'subject', FIRST).add(one);
  const before = readFileSync(path, 'utf8');
  expect(() => SavedRun.resume(path, 'another', FIRST)).toThrow(/leave out --resume to begin a new run/);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a run without a file to go on with begins, and a new run forgets the last one', () => {
  const path = pathOf();
  const first = SavedRun.resume(path, 'subject', FIRST);
  first.add(one);
  expect(first.parts).toEqual([FIRST]);
  SavedRun.begin(path, 'subject', SECOND);
  expect(SavedRun.resume(path, 'subject', SECOND).entry(one.name)).toBeUndefined();
});
