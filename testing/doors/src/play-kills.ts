import { join } from 'node:path';

import { Random } from '@conv/testing-harness';

import type { Door } from './door/door.ts';
import { doorBeside } from './play-cuts.ts';
import { CuttingProxy } from './proxy/cutting-proxy.ts';
import { playRound, type RoundResult } from './round/round.ts';
import { fleetPorts } from './server/fleet-ports.ts';
import { ServerProcess } from './server/server-process.ts';
import type { Options } from './options.ts';
import { RUNS } from './story/story.ts';

/** The last frame at which a server is killed. */
const LATEST = 25;

/** The other server soon takes over what a killed one had. */
const FLEET = { lease: 1000, scan: 100 };

/**
 * Kills servers under clients of each door in turn. Two servers share a store: the client comes back at the server that was killed and
 * has started again, or at the other one, and some of them through another door.
 */
export async function playKills(
  doors: readonly Door[],
  { kills, seed, timeout }: Options,
  folder: string,
  take: (door: Door, result: RoundResult) => void,
): Promise<void> {
  if (kills === 0) return;
  const servers = (await fleetPorts()).map(
    (port) => new ServerProcess({ directory: join(folder, 'kills'), port, fleet: FLEET }),
  );
  const random = new Random(seed);
  try {
    await Promise.all(servers.map((server) => server.start()));
    let current = servers[0] as ServerProcess;
    await using proxy = await CuttingProxy.start(current.port);
    const url = (): string => `http://127.0.0.1:${current.port}`;
    for (let number = 0; number < kills; number++) {
      const door = doors[number % doors.length] as Door;
      const isElsewhere = random.chance(0.5);
      const next = random.chance(0.25) ? doorBeside(door, random.between(0, 100)) : undefined;
      const move = async (): Promise<void> => {
        const killed = current;
        await killed.kill();
        if (isElsewhere) current = servers.find((server) => server !== killed) as ServerProcess;
        const started = killed.start();
        if (!isElsewhere) await started;
        proxy.target = current.port;
        await started;
      };
      const where = `at the ${isElsewhere ? 'other' : 'same'} server${next ? ` by ${next.name}` : ''}`;
      const of = (seed + number) % RUNS;
      const back = { isLate: false, ...(next ? { next } : {}), move };
      // a run that is over before the frame is played again, so that each round has its kill
      for (let cut = random.between(1, LATEST), wasCut = false; !wasCut; cut = Math.ceil(cut / 2)) {
        const title = `${door.name}, run ${of}, killed at frame ${cut}, back ${where}`;
        const result = await playRound({ title, door, seed: of, cut, ...back, proxy, url, timeout, folder });
        take(door, result);
        ({ wasCut } = result);
      }
    }
  } finally {
    for (const server of servers) await server.kill();
  }
}
