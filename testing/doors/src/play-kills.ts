import { randomInt } from 'node:crypto';
import { join } from 'node:path';

import { Random } from '@conv/testing-harness';

import { DOORS } from './doors.ts';
import type { Door } from './door/door.ts';
import { CuttingProxy } from './proxy/cutting-proxy.ts';
import { playRound, type RoundResult } from './round/round.ts';
import { ServerProcess } from './server/server-process.ts';
import type { Options } from './options.ts';

/** Ports below the range that systems give to clients. */
const PORTS = [15_000, 32_000] as const;

/** The last frame at which a server is killed. */
const LATEST = 25;

/**
 * Kills servers under clients of each door in turn. Two servers share a store: the client comes back at the server that was killed and
 * has started again, or at the other one.
 */
export async function playKills(
  doors: readonly Door[],
  { kills, seed, timeout }: Options,
  folder: string,
  take: (door: Door, result: RoundResult) => void,
): Promise<void> {
  if (kills === 0) return;
  const servers = [0, 1].map(() => {
    return new ServerProcess({ directory: join(folder, 'kills'), port: randomInt(...PORTS), fleet: true });
  });
  const random = new Random(seed);
  try {
    await Promise.all(servers.map((server) => server.start()));
    let current = servers[0] as ServerProcess;
    await using proxy = await CuttingProxy.start(current.port);
    const url = (): string => `http://127.0.0.1:${current.port}`;
    for (let number = 0; number < kills; number++) {
      const door = doors[number % doors.length] as Door;
      const isElsewhere = random.chance(0.5);
      const kill = async (): Promise<void> => {
        const killed = current;
        await killed.kill();
        if (isElsewhere) current = servers.find((server) => server !== killed) as ServerProcess;
        const started = killed.start();
        if (!isElsewhere) await started;
        proxy.target = current.port;
        await started;
      };
      const cut = random.between(1, LATEST);
      const where = isElsewhere ? 'at the other server' : 'at the same server';
      const title = `${door.name}, run ${seed + number}, killed at frame ${cut}, back ${where}`;
      const [next, of] = [DOORS[0] as Door, seed + number];
      take(
        door,
        await playRound({ title, door, next, seed: of, cut, back: 'kill', proxy, url, kill, timeout, folder }),
      );
    }
  } finally {
    for (const server of servers) await server.kill();
  }
}
