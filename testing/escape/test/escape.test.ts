import type { Sandbox } from '@conv/core/tool';
import { sandbox } from '@conv/sandbox';
import { isCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { ATTEMPTS } from '../src/attempts/index.ts';
import { playAttempt } from '../src/play-attempt.ts';
import { smallSandboxes } from '../src/sandboxes.ts';
import { isHere } from './is-here.ts';

const PROXY = 'ask a proxy for a service by other names of this machine';

/** A sandbox that confines nothing. */
const open: Sandbox = {
  name: 'open',
  open: async () => ({ rules: '', confine: (start) => start, place: (path) => path, close: async () => {} }),
};

test('the list has 151 attempts for root and 144 for others, and each has a name of its own', () => {
  expect(ATTEMPTS.length).toBe(151);
  expect(ATTEMPTS.filter(({ root }) => root !== true).length).toBe(144);
  expect(new Set(ATTEMPTS.map(({ name }) => name)).size).toBe(ATTEMPTS.length);
});

test.each(['read a key file', 'delete the store', 'leave a process behind'])(
  'a sandbox that confines nothing is found out: %s',
  async (name) => {
    const attempt = ATTEMPTS.find((each) => each.name === name);
    if (!attempt) throw new Error(`expected an attempt to ${name}`);
    const played = await playAttempt(attempt, { strict: open, standard: open, hosts: open });
    expect(played).toEqual({ attempt: name, ok: false, without: 'out', with: 'out', auto: 'out' });
  },
);

test.skipIf(!isHere)('a list of hosts that keeps no program from others is found out', async () => {
  const name = 'talk to a service of this machine';
  const attempt = ATTEMPTS.find((each) => each.name === name);
  const closed = sandbox({ network: 'closed' });
  const played = attempt && (await playAttempt(attempt, { strict: closed, standard: open, hosts: open }));
  expect(played).toMatchObject({ ok: false, hosts: 'out' });
});

// CI plays all of them, as a guard of its own
test.skipIf(!isHere || isCi)('the sandbox stops one attempt of each sort', async () => {
  const sandboxes = smallSandboxes();
  // bombs of processes are for `npm run escape`, alone on the machine: they are ended by looking at them
  for (const name of ['read a key file', 'write through a symbolic link', 'leave a process behind', PROXY]) {
    const attempt = ATTEMPTS.find((each) => each.name === name);
    expect(attempt && (await playAttempt(attempt, sandboxes))).toMatchObject({ attempt: name, ok: true, with: 'in' });
  }
});
