import type { LimitReached, Limits } from './limits.ts';
import { exactMemory, memoryOfDevices, type Use } from './process-tree.ts';
import type { Inside } from './program.ts';

/** A program grows if it uses so much more of a limit than at the last look, and in its first looks, which have nothing to compare with. */
const GROWTH = 1 / 16;
const FIRST_LOOKS = 5;

/** A limit that a program uses more than it is allowed. */
export type Beyond = Pick<LimitReached, 'limit' | 'used' | 'allowed'>;

/** Returns the limit that a program is beyond, if there is one, without that of disks. */
export function beyondLimits({ first, since }: Inside, use: Use, limits: Limits, now: number): Beyond | undefined {
  const { memory, ...most } = limits;
  const found = { processes: use.processes, cpu: use.cpu, time: (now - since) / 1000 };
  for (const limit of ['processes', 'cpu', 'time'] as const)
    if (found[limit] > most[limit]) return { limit, used: found[limit], allowed: most[limit] };
  const devices = memoryOfDevices(first);
  // what processes share counts for each of them in the sum, which is therefore never too low
  if (use.memory + devices <= memory) return undefined;
  const used = exactMemory(use, devices);
  return used > memory ? { limit: 'memory', used, allowed: memory } : undefined;
}

/** True if a program may soon be beyond a limit. */
export function growsFast({ last, looks }: Inside, use: Use, limits: Limits): boolean {
  if (looks < FIRST_LOOKS) return true;
  return (['processes', 'memory'] as const).some((limit) => use[limit] - last[limit] > limits[limit] * GROWTH);
}
