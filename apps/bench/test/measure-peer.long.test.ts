import { expect, test } from 'vitest';

import { peerWith } from '../src/peers/all-peers.ts';
import { WORKS, type Cell, type Work } from '../src/peers/cell.ts';
import type { PeerPlan } from '../src/peers/plan.ts';
import { isOfServers } from '../src/peers/result.ts';
import { MeasuredPeer, measurePeer } from '../src/peers/run.ts';

const PLAN: PeerPlan = {
  sizes: [1, 20],
  samples: 3,
  budget: 100,
  readers: 1,
  listed: 5,
  runs: 1,
  missedOf: 1,
  limit: 60_000,
  filling: 60_000,
};

async function cellsOf(key: string): Promise<ReadonlyMap<Work, Cell>> {
  const cells = await measurePeer(peerWith(key), { size: 1, plan: PLAN, databases: undefined });
  return new Map(cells.map((cell) => [cell.work, cell]));
}

test('a conversation of ours has a cell for every work, and loses no effect and no message', async () => {
  const cells = await cellsOf('conv-files');
  const works = (Object.keys(WORKS) as Work[]).filter((work) => !isOfServers(work));
  expect([...cells.keys()]).toEqual(works);
  expect(works.filter((work) => !cells.get(work)?.measured && work !== 'growth')).toEqual([]);
  expect(cells.get('resume')?.measured?.value).toBe(0);
  expect(cells.get('resume')?.note).toMatch(/^1 repeated/);
  expect(cells.get('writers')?.measured?.value).toBe(0);
  expect(cells.get('list')?.size).toBe(5);
});

test('a bare log lists its conversations, and has no run to go on with', async () => {
  const cells = await cellsOf('bare-file');
  expect(cells.get('list')?.measured?.samples).toBe(1);
  expect(cells.get('resume')).toMatchObject({ cannot: 'a log runs nothing' });
});

test('a program that is not on the machine has the reason in each cell', async () => {
  const missing = 'no Python >= 3.12 on this machine';
  const cells = await measurePeer(peerWith('openhands-files'), {
    size: 20,
    plan: PLAN,
    databases: undefined,
    missing,
  });
  expect(cells.length).toBeGreaterThan(5);
  expect(cells.every(({ cannot, size }) => cannot === missing && size === 20)).toBe(true);
});

test('a program that fills slowly is not filled with more, and each of its works says why', async () => {
  const before = [{ size: 1000, cells: [], filled: 7000 }];
  const measuring = { size: 10_000, plan: PLAN, databases: undefined, before };
  const cells = await measurePeer(peerWith('conv-files'), measuring);
  const reasons = new Set(cells.map(({ cannot }) => cannot));
  expect([...reasons]).toEqual(['not tried: to fill it took 7 s at 1,000']);
  expect(cells).toHaveLength(9);
});

test('a work that took too long at a smaller size is left out, and the others are done', async () => {
  const slow = [{ work: 'fork', peer: 'bare-file', size: 1, cannot: 'took over 60 s' }] as const;
  await using measured = await MeasuredPeer.prepare(peerWith('bare-file'), {
    size: 20,
    plan: PLAN,
    databases: undefined,
    before: [{ size: 1, cells: slow }],
  });
  const { cells, filled } = await measured.time();
  expect(filled).toBeGreaterThan(0);
  const reasons = cells.flatMap(({ work, cannot }) => (cannot === undefined ? [] : [[work, cannot]]));
  expect(reasons).toEqual([['fork', 'not tried: took over 60 s at 1']]);
});
