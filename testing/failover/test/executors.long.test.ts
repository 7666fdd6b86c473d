import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { NOTHING, TIMEOUT, play } from './play.ts';

/** True if this user may make sandboxes here. */
const confines = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

test.skipIf(!confines)(
  'P1 P5 P11: executors and servers are killed, nothing is lost or done twice, and no executor is left',
  async () => {
    const options = ['--executors', '--servers', '2', '--seconds', '14', '--seed', '23', ...TIMEOUT];
    const { exitCode, result, errors } = await play(...options);
    expect({ ...result, errors }).toMatchObject(NOTHING);
    expect(result.executorKills).toBeGreaterThan(0);
    expect(exitCode).toBe(0);
  },
);
