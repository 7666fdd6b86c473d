import { expect, test } from 'vitest';

import { peerWith } from '../src/peers/all-peers.ts';
import { WORKS, type Cell, type Work } from '../src/peers/cell.ts';
import type { PeerPlan } from '../src/peers/plan.ts';
import { isOfServers } from '../src/peers/result.ts';
import { measurePeer } from '../src/peers/run.ts';

const PLAN: PeerPlan = {
  sizes: [1, 20],
  samples: 3,
  budget: 100,
  readers: 1,
  listed: 5,
  runs: 1,
  missedOf: 1,
  limit: 60_000,
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
