import { setTimeout as sleep } from 'node:timers/promises';

import type { Random } from '@conv/testing-harness';

import type { Fleet } from './fleet.ts';
import type { Hands } from './hands.ts';
import type { ServerProcess } from './server-process.ts';

/** Plan of strikes on servers. */
export interface StrikePlan {
  readonly fleet: Fleet;
  readonly random: Random;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly takeoverSeconds: number;
  /** The process that was at work last. */
  readonly atWork: () => string | undefined;
  /** The processes that act for conversations outside of their servers, to be struck, too. */
  readonly hands: Hands | undefined;
  /** Told of each strike at them. */
  readonly log: (line: string) => void;
}

/** Milliseconds between two strikes, and for which a server that was killed is away. */
const PAUSE = [2000, 6000] as const;
const AWAY = [300, 8000] as const;

/** Part of the strikes that stop a server, so that it comes back without knowing that it was away. */
const STOPPED = 0.3;

/** Part of the strikes that meet a container, an executor or a program, where there are any. */
const HANDS = 0.5;

/** Part of strikes that meet the server that was at work last; the others meet any. */
const AT_WORK = 0.5;

/** Milliseconds of rest for a server that came back, when all are ended in turn. */
const REST = [500, 2500] as const;

/**
 * Kills and stops servers at random, never the last server that is up. The first strike meets a server at work. Resolves when
 * time is up and all are back.
 */
export async function strikeAtRandom({
  fleet,
  random,
  until,
  takeoverSeconds,
  atWork,
  hands,
  log,
}: StrikePlan): Promise<void> {
  const returns = new Set<Promise<void>>();
  const comeBack = (server: ServerProcess, away: number): void => {
    const back = sleep(Math.max(0, Math.min(away, until - Date.now())))
      .then(() => fleet.revive(server))
      .finally(() => returns.delete(back));
    returns.add(back);
  };
  while (await pause(random, PAUSE, until)) {
    if (hands && fleet.strikes.length > 0 && (isSparing(hands) || random.chance(HANDS))) {
      const struck = await hands.strike(random);
      if (struck !== undefined) log(`${struck} is killed`);
      if (struck !== undefined) continue;
    }
    const { up } = fleet;
    if (up.length < 2) continue;
    const working = up.find(({ member }) => member === atWork());
    const meetsWork = fleet.strikes.length === 0 || random.chance(AT_WORK);
    const server = (meetsWork && working) || random.pick(up);
    if (random.chance(STOPPED)) {
      fleet.stop(server);
      // Sometimes the stop is too short to be noticed.
      comeBack(server, random.between(500, takeoverSeconds * 2000 + 2000));
    } else {
      await fleet.kill(server);
      comeBack(server, random.between(...AWAY));
    }
  }
  await Promise.all(returns);
}

/** True if nothing was killed yet. */
function isSparing({ kills }: Hands): boolean {
  return Object.values(kills).every((count) => count === 0);
}

/**
 * Ends one server after the other and starts it again, as for a new version. Resolves when time is up, all have had their turn and all are
 * back.
 */
export async function rollServers({ fleet, random, until }: StrikePlan): Promise<void> {
  for (let first = true; ; first = false)
    for (const server of fleet.servers) {
      const goesOn = await pause(random, REST, until);
      if (!goesOn && !first) return;
      await fleet.end(server);
      await fleet.revive(server);
    }
}

/** False when there is no time left. */
async function pause(random: Random, [from, to]: readonly [number, number], until: number): Promise<boolean> {
  await sleep(Math.max(0, Math.min(random.between(from, to), until - Date.now())));
  return Date.now() < until;
}
