import { join } from 'node:path';

import { firstInCi } from '@conv/testing-harness';

import { DOORS } from './doors.ts';
import type { Door } from './door/door.ts';
import { CuttingProxy } from './proxy/cutting-proxy.ts';
import { playRound, type RoundPlan, type RoundResult } from './round/round.ts';
import { fleetPorts } from './server/fleet-ports.ts';
import { serve } from './server/serve.ts';
import type { Options } from './options.ts';

/** The ways back, which take turns. */
const WAYS = ['at once', 'late', 'other door', 'other server'] as const;

/** No server of this fleet dies, so nothing is to be taken over. */
const FLEET = { lease: 60_000, scan: 60_000 };

/**
 * Cuts a client of a door off at every boundary of the runs, each time in a conversation of its own on a fleet of two servers in this
 * process. With steps CI begins at another boundary each day, and boundary 0 is always among them.
 */
export async function playCuts(
  door: Door,
  { rounds, every, seed, timeout }: Options,
  folder: string,
  take: (result: RoundResult) => void,
): Promise<void> {
  const directory = join(folder, `cuts-${DOORS.indexOf(door)}`);
  const servers = await Promise.all((await fleetPorts()).map((port) => serve({ directory, port, fleet: FLEET })));
  const [first = 0, other = 0] = servers.map(({ port }) => port);
  await using proxy = await CuttingProxy.start(first);
  const move = async (): Promise<void> => void (proxy.target = other);
  // the ways and the other doors differ from run to run at the same boundary
  let played = firstInCi(WAYS.length * DOORS.length);
  const wayBack = (of: number): Pick<RoundPlan, 'isLate' | 'next' | 'move'> & { readonly words: string } => {
    const way = WAYS[(played + of) % WAYS.length] as (typeof WAYS)[number];
    const next = doorBeside(door, played + of);
    const base = { isLate: way === 'late', words: way === 'other door' ? `by ${next.name}` : way };
    return { ...base, ...(way === 'other door' ? { next } : {}), ...(way === 'other server' ? { move } : {}) };
  };
  try {
    for (let of = seed; of < seed + rounds; of++) {
      // the run without a cut says how many boundaries there are
      let frames = 0;
      const start = firstInCi(every);
      // a short run is cut once at least
      const second = (): number => Math.min(start > 0 ? start : every, Math.max(1, frames));
      for (let cut = 0; cut <= frames; cut = cut === 0 ? second() : cut + every) {
        const { words, ...back } = wayBack(of);
        played++;
        proxy.target = first;
        const title = `${door.name}, run ${of}, cut ${cut} of ${frames}, back ${words}`;
        const url = (): string => `http://127.0.0.1:${first}`;
        const result = await playRound({ title, door, seed: of, cut, ...back, proxy, url, timeout, folder });
        if (cut === 0) frames = result.frames;
        take(result);
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Returns one of the other doors, each in its turn. */
export function doorBeside(door: Door, turn: number): Door {
  const others = DOORS.filter((each) => each !== door);
  return others[Math.floor(turn / WAYS.length) % others.length] as Door;
}
