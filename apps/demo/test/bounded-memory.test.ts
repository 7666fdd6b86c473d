import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';

const EVENTS = 20_000;

const program = fileURLToPath(new URL('long-life-process.ts', import.meta.url));

/** Report of the process about its life. */
interface Life {
  readonly length: number;
  readonly condensations: number;
  readonly delivered: number;
  readonly megabytes: number;
}

test(
  `P12: a conversation of ${EVENTS} events and many condensations takes no more memory than a short one`,
  { timeout: 600_000 },
  async () => {
    const child = fork(program, [newFolder(), String(EVENTS)], { execArgv: ['--expose-gc'] });
    const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${String(code)}`)));
    gone.catch(() => {});
    const [life] = (await Promise.race([once(child, 'message'), gone])) as [Life];
    expect(life.length).toBeGreaterThanOrEqual(EVENTS);
    expect(life.delivered).toBe(life.length);
    expect(life.condensations).toBeGreaterThan(20);
    // all of its events are 45 MB
    expect(life.megabytes).toBeLessThan(25);
  },
);
