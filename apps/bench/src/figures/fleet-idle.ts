import { setTimeout as sleep } from 'node:timers/promises';

import type { Figure } from '../figure.ts';
import { Fleet } from '../load/fleet.ts';
import { Followers } from '../load/followers.ts';
import type { LoadProcess } from '../load/load-process.ts';
import { socketsOf } from '../load/requests.ts';

/** Conversations before the measurement, so that compilation does not count. */
const WARM_UP = 10;

const MEBIBYTE = 2 ** 20;

/**
 * Measures the database requests of servers while nothing happens. One server owns conversations, and a second server has a
 * socket for each. Also measures the second server's memory for these sockets.
 */
export async function fleetIdle(conversations: number, seconds: number): Promise<readonly Figure[]> {
  await using fleet = await Fleet.start(1, 'shared_preload_libraries=pg_stat_statements');
  await fleet.client.query('CREATE EXTENSION pg_stat_statements');
  const [owner] = fleet.servers as readonly [LoadProcess];
  const ids = await owner.ask('make', { conversations, calls: 0 });
  const owned = await statements(fleet, seconds);
  const other = await fleet.add();
  using warm = await Followers.open(socketsOf(other, ids.slice(0, WARM_UP)), false);
  await warm.synced();
  const before = await other.ask('resident');
  using followers = await Followers.open(socketsOf(other, ids.slice(WARM_UP)), false);
  await followers.synced();
  const memory = (((await other.ask('resident')) - before) / (conversations - WARM_UP)) * conversations;
  const followed = await statements(fleet, seconds);
  const inform = (name: string, value: number, unit: Figure['unit']): Figure => ({
    name: `fleet.idle.${name}.${conversations}`,
    value,
    unit,
    baseline: null,
    ratio: null,
  });
  return [
    inform('statements.owned', owned, 'per second'),
    inform('statements.followed', followed, 'per second'),
    inform('memory.followed', memory / MEBIBYTE, 'MB'),
  ];
}

/** Statements a second of all servers together. */
async function statements({ client }: Fleet, seconds: number): Promise<number> {
  // what opening has left behind: readers go, connections are closed
  await sleep(2000);
  await client.query('SELECT pg_stat_statements_reset()');
  await sleep(seconds * 1000);
  const { rows } = await client.query<{ calls: string }>(
    `SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'`,
  );
  return Number(rows[0]?.calls) / seconds;
}
