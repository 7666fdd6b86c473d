import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { inCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { Bench, KINDS } from '../support/bench.ts';

const EVENTS = 20_000;
const LIVE = 2_000;
const CHARACTERS = 4_000;

const program = fileURLToPath(new URL('../support/following-process.ts', import.meta.url));

/** CI follows over one socket: both end in the same follower. */
for (const [kind, capabilities] of inCi(KINDS, 2))
  test(
    `P12: a conversation of ${EVENTS + LIVE} events is read without ever being in memory whole (${kind})`,
    { timeout: 240_000 },
    async () => {
      await using bench = await Bench.start({ capabilities });
      const { id } = await bench.open();
      const { conversation: fake } = bench.server;
      fake.fill(EVENTS, { characters: CHARACTERS });
      const total = String(EVENTS + LIVE);
      const child = fork(program, [bench.server.url, id, total], { execArgv: ['--expose-gc'] });
      const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${String(code)}`)));
      gone.catch(() => {});
      try {
        await Promise.race([once(child, 'message'), gone]);
        const answered = Promise.race([once(child, 'message'), gone]);
        for (let said = 0; said < LIVE; said += 100) {
          for (let one = 0; one < 100; one++) fake.say('.'.repeat(CHARACTERS));
          await new Promise((resolve) => setImmediate(resolve));
        }
        const [result] = (await answered) as [{ readonly read: number; readonly megabytes: number }];
        expect(result.read).toBe(EVENTS + LIVE);
        // with all of them in memory it is 200
        expect(result.megabytes).toBeLessThan(75);
      } finally {
        child.kill();
      }
    },
  );
