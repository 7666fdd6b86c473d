import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

import type { PeerPlan } from '../src/peers/plan.ts';
import { PEERS_PYTHON } from '../src/peers/python.ts';
import { ALL_SERVERS } from '../src/peers/servers/all-servers.ts';
import { measureServer, missingServerCells } from '../src/peers/servers/measure-server.ts';

const PLAN: PeerPlan = {
  sizes: [1],
  samples: 3,
  budget: 100,
  readers: 1,
  listed: 1,
  runs: 3,
  missedOf: 40,
  limit: 60_000,
  filling: 60_000,
};

const usable = ALL_SERVERS.filter(({ needs }) => needs !== 'python' || existsSync(PEERS_PYTHON));

test.each(usable.map((server) => [server.title, server] as const))('%s does every work', async (_, server) => {
  const cells = await measureServer(server, PLAN);
  expect(cells.filter(({ measured }) => !measured)).toEqual([]);
  expect(cells.map(({ work, size }) => [work, size])).toEqual([
    ['command', 1],
    ['event', 1],
    ['idle', 3],
    ['runs', 3],
    ['reconnect', 40],
    ['reconnectBytes', 40],
  ]);
  // ten events of about 1 KB, each once
  const bytes = cells.find(({ work }) => work === 'reconnectBytes')?.measured;
  expect(bytes?.low).toBeGreaterThan(6400);
  expect(bytes?.high).toBeLessThan(20_000);
});

test('a server that cannot be started here has the reason in each cell', () => {
  const [server] = ALL_SERVERS;
  if (!server) throw new Error('expected a server, found none');
  const cells = missingServerCells(server, PLAN, 'no Python');
  expect(cells).toHaveLength(6);
  expect(new Set(cells.map(({ cannot }) => cannot))).toEqual(new Set(['no Python']));
});
