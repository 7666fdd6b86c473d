import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { NOTHING, TIMEOUT, play } from './play.ts';

/** True if this user may make sandboxes here. */
const confines = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0;

/** `npm run image` sets it: an image that Podman has. */
const image = process.env['CONV_IMAGE'] ?? '';

const STORM = ['--servers', '2', '--seconds', '20', '--seed', '23', ...TIMEOUT] as const;

test.skipIf(!confines)(
  'P1 P5 P11: kills of executors, programs and servers lose and double nothing, and leave no executor',
  async () => {
    const { exitCode, result, errors } = await play('--runtime', 'sandbox', ...STORM);
    expect({ ...result, errors }).toMatchObject(NOTHING);
    expect(result.handKills?.executor).toBeGreaterThan(0);
    expect(exitCode).toBe(0);
  },
);

test.skipIf(image === '')(
  'P1 P5 P11: kills of containers, programs and servers lose and double nothing, and leave no container',
  async () => {
    const { exitCode, result, errors } = await play('--runtime', 'docker', '--image', image, ...STORM);
    expect({ ...result, errors }).toMatchObject(NOTHING);
    expect(Object.values(result.handKills ?? {}).some((count) => count > 0)).toBe(true);
    expect(exitCode).toBe(0);
  },
);
