import { quoted } from '../quoted.ts';
import type { CommandAttempt } from './attempt.ts';

/** The word of an attempt that had what it wanted of the machine. */
const HAD = 'had it all';
const had = (_: unknown, output: string): boolean => output.includes(HAD);

/**
 * Starts twice as many processes with each level, until 512 live at the same time, and keeps them for a while, as the other attempts keep what they
 * have. They have a group of their own, and all end with the first.
 */
const BOMB = `rm -f count; setsid --wait bash -c '
  grow() { if [ $1 -eq 0 ]; then echo >>count; sleep 1000; else grow $(($1 - 1)) & grow $(($1 - 1)) & wait; fi; }
  grow 9 & until [ "$(wc -l <count)" -ge 512 ]; do sleep 0.02; done 2>/dev/null
  sleep 4 && echo ${HAD}; kill -9 0'`;

const COMMANDS: readonly CommandAttempt[] = [
  { name: 'start processes that start processes', command: () => BOMB, escaped: had },
  {
    name: 'start processes in namespaces of their own',
    command: () => `unshare --user --pid --fork bash -c ${quoted(BOMB)}`,
    escaped: had,
  },
  {
    name: 'use all memory',
    command: () =>
      `node -e 'globalThis.kept = Buffer.alloc(800 * 2 ** 20, 1); setTimeout(() => console.log("${HAD}"), 4000)'`,
    escaped: had,
  },
  {
    name: 'use all memory by many processes',
    command: () =>
      // the end of each is asked for, because the kernel may end some of them alone
      `for i in 1 2 3 4 5 6 7 8; do node -e 'globalThis.kept = Buffer.alloc(100 * 2 ** 20, 1); setTimeout(() => {}, 5000)' & all="$all $!"; done; for one in $all; do wait $one || exit; done; echo ${HAD}`,
    escaped: had,
  },
  {
    name: 'use all memory for files',
    command: ({ key }) => `head -c 800M /dev/zero >/dev/shm/${key} && sleep 4 && echo ${HAD}`,
    escaped: had,
  },
  {
    name: 'fill the disk',
    command: () => `for i in 1 2 3 4; do head -c 80M /dev/zero >file$i; done && sleep 4 && echo ${HAD}`,
    escaped: had,
  },
  {
    name: 'fill the disk for temporary files',
    command: ({ key }) => `head -c 320M /dev/zero >/tmp/${key} && sleep 4 && echo ${HAD}`,
    escaped: had,
  },
];

/** Attempts to leave nothing of the machine for others, made with amounts that stand for all of it. */
export const EXHAUSTING: readonly CommandAttempt[] = COMMANDS.map((attempt) => ({ ...attempt, exhausting: true }));
