import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { summarise, type Cell } from '../src/peers/cell.ts';
import { whereOthersAreAhead } from '../src/peers/page/ahead.ts';
import { toPage } from '../src/peers/page/page.ts';
import { toPicture } from '../src/peers/page/picture.ts';
import { writePage } from '../src/peers/page/write-page.ts';
import type { PeerResult } from '../src/peers/result.ts';

const PEERS = [
  { key: 'bare-file', title: 'bare file', kind: 'files', synced: 'fdatasync' },
  { key: 'conv-files', title: 'conv, files', kind: 'files', synced: 'fdatasync' },
  { key: 'swift', title: 'Swift & <Co>', kind: 'files', synced: 'nothing | at all' },
  { key: 'held', title: 'Held', kind: 'memory', synced: 'nothing' },
] as const;

const FACTS = {
  command: 'npm run bench -- --peers --svg',
  pictures: { light: 'light.svg', dark: 'dark.svg', about: 'a picture' },
};

function resultOf(...cells: readonly Cell[]): PeerResult {
  return {
    peers: PEERS,
    servers: [
      { key: 'conv-server', title: 'Our server' },
      { key: 'their-server', title: 'Their server' },
    ],
    sizes: [1, 10_000],
    listed: 300,
    versions: { node: '24.0.0', swift: '1.2.3' },
    machine: { processor: '2 × Slow', memory: '24 GiB', system: 'Linux 6.1', disk: 'ext4' },
    parts: [{ date: '2026-11-30', commit: 'abc123' }],
    cells,
  };
}

const append = (peer: string, values: readonly number[], size = 1): Cell => ({
  work: 'append',
  peer,
  size,
  measured: summarise(values, [1]),
});

test('the page has machine, date, versions, spread, multiples, and what an append promises', () => {
  const page = toPage(resultOf(append('conv-files', [2, 1, 3])), FACTS);
  for (const text of ['2026-11-30', 'abc123', '2 × Slow', 'ext4', '1.2.3', 'fdatasync', FACTS.command])
    expect(page).toContain(text);
  expect(page).not.toContain('stopped and resumed');
  expect(page).toMatch(/\| conv, files +\| 2 \(1–3\), 2× \|/);
  expect(page).toContain(String.raw`nothing \| at all`);
});

test('the page of a run that was stopped says so, with all its days and commits', () => {
  const parts = [
    { date: '2026-11-30', commit: 'abc123' },
    { date: '2026-12-01', commit: 'abc123' },
  ];
  const page = toPage({ ...resultOf(append('conv-files', [2])), parts }, FACTS);
  expect(page).toMatch(/\| date +\| 2026-11-30, 2026-12-01 +\|/);
  expect(page).toMatch(/\| commit of ours +\| abc123 +\|/);
  expect(page).toContain('stopped and resumed 1×');
});

test('the page lists each result in which another program is ahead on the same kind of storage', () => {
  const result = resultOf(
    append('bare-file', [0.5]),
    append('conv-files', [4]),
    append('swift', [2]),
    append('held', [0.1]),
    append('conv-files', [3], 10_000),
    append('swift', [30], 10_000),
  );
  const [only, ...rest] = whereOthersAreAhead(result);
  expect(rest).toEqual([]);
  expect(only).toMatchObject({ work: 'append', size: 1, factor: 2, theirs: { peer: 'swift' } });
  expect(toPage(result, FACTS)).toMatch(
    /\| Append one message +\| 1 +\| conv, files: 4 ms \| Swift & <Co>: 2 ms \| 2× +\|/,
  );
});

test('more steps in a second are ahead, less time is ahead', () => {
  const runs = (peer: string, value: number): Cell => ({
    work: 'runs',
    peer,
    size: 200,
    measured: summarise([value]),
  });
  expect(whereOthersAreAhead(resultOf(runs('conv-server', 900), runs('their-server', 90)))).toEqual([]);
  expect(whereOthersAreAhead(resultOf(runs('conv-server', 90), runs('their-server', 900)))).toMatchObject([
    { work: 'runs', factor: 10 },
  ]);
});

test('a page without a disadvantage says so', () => {
  expect(toPage(resultOf(append('conv-files', [1])), FACTS)).toContain('In no work of this run.');
});

test.each(['light', 'dark'] as const)(
  'the %s picture has a row for each program, and the reason of one that cannot',
  (theme) => {
    const cannot = 'took over 60 s';
    const picture = toPicture(
      resultOf(
        append('conv-files', [2, 1, 3]),
        { work: 'append', peer: 'held', size: 10_000, cannot },
        append('swift', [20], 10_000),
      ),
      theme,
    );
    expect(picture).toMatch(/^<svg [^>]+>/);
    expect(picture.match(/<g /g)).toHaveLength(1);
    expect(picture).toContain('Swift &amp; &lt;Co&gt;');
    expect(picture).toContain(cannot);
    expect(picture).toContain('not measured');
    expect(picture).not.toMatch(/NaN|Infinity|undefined/);
  },
);

test('the two pictures differ in nothing but colours', () => {
  const result = resultOf(append('conv-files', [2], 10_000));
  const [light, dark] = (['light', 'dark'] as const).map((theme) => toPicture(result, theme));
  expect(light).not.toBe(dark);
  expect(light?.replaceAll(/#[\da-f]{6}/g, '')).toBe(dark?.replaceAll(/#[\da-f]{6}/g, ''));
});

test('page and pictures are written together, and the page finds its pictures', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-bench-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const places = { page: folder, pictures: join(folder, 'pictures') };
  const path = await writePage(resultOf(append('conv-files', [2], 10_000)), FACTS.command, places);
  const page = readFileSync(path, 'utf8');
  for (const theme of ['light', 'dark']) {
    expect(page).toContain(`pictures/benchmarks-${theme}.svg`);
    expect(readFileSync(join(folder, `pictures/benchmarks-${theme}.svg`), 'utf8')).toMatch(/^<svg /);
  }
});
