import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import type { World } from './world.ts';

/** Milliseconds for which a process is looked for, and between two looks. */
const LONGEST = 2000;
const PAUSE = 20;

/**
 * True if a process of the attempt lives on after the end of the conversation. Bubblewrap returns before the kernel has ended the processes
 * inside, so on a busy machine one may be there for a moment.
 */
export async function outlives(world: World): Promise<boolean> {
  await world.endConversation();
  for (let waited = 0; waited < LONGEST && processesOf(world).length > 0; waited += PAUSE) await sleep(PAUSE);
  const left = processesOf(world);
  for (const pid of left) process.kill(Number(pid), 'SIGKILL');
  return left.length > 0;
}

function processesOf(world: World): readonly string[] {
  return readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && world.read(`/proc/${name}/cmdline`)?.includes(world.key),
  );
}
