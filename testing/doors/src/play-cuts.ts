import { join } from 'node:path';

import { firstInCi } from '@conv/testing-harness';

import { DOORS } from './doors.ts';
import type { Door } from './door/door.ts';
import { CuttingProxy } from './proxy/cutting-proxy.ts';
import { playRound, type Return, type RoundResult } from './round/round.ts';
import { serve } from './server/serve.ts';
import type { Options } from './options.ts';

const RETURNS: readonly Return[] = ['at once', 'late', 'other door'];

/**
 * Cuts a client of a door off at every boundary of the runs, each time in a conversation of its own on a server in this process. With
 * steps CI begins at another boundary each day, and boundary 0 is always among them.
 */
export async function playCuts(
  door: Door,
  { rounds, every, seed, timeout }: Options,
  folder: string,
  take: (result: RoundResult) => void,
): Promise<void> {
  const server = await serve({ directory: join(folder, `cuts-${DOORS.indexOf(door)}`), port: 0, fleet: false });
  const url = (): string => `http://127.0.0.1:${server.port}`;
  const next = DOORS[(DOORS.indexOf(door) + 1) % DOORS.length] as Door;
  await using proxy = await CuttingProxy.start(server.port);
  const kill = (): Promise<never> => Promise.reject(new Error('this server is not killed'));
  try {
    for (let of = seed; of < seed + rounds; of++) {
      // the run without a cut says how many boundaries there are
      let frames = 0;
      const first = firstInCi(every);
      let played = firstInCi(RETURNS.length);
      // a short run is cut once at least
      const second = (): number => Math.min(first > 0 ? first : every, Math.max(1, frames));
      for (let cut = 0; cut <= frames; cut = cut === 0 ? second() : cut + every) {
        const back = RETURNS[(played++ + of) % RETURNS.length] as Return;
        const title = `${door.name}, run ${of}, cut ${cut} of ${frames}, back ${back}`;
        const result = await playRound({ title, door, next, seed: of, cut, back, proxy, url, kill, timeout, folder });
        if (cut === 0) frames = result.frames;
        take(result);
      }
    }
  } finally {
    await server.close();
  }
}
