import { homedir } from 'node:os';

import { expect, test } from 'vitest';

import { defaultStoreAddress } from '../src/index.ts';

test.each([
  [{ XDG_DATA_HOME: '/data' }, 'linux', 'fs:/data/conv/conversations'],
  [{ XDG_DATA_HOME: 'data' }, 'linux', `fs:${homedir()}/.local/share/conv/conversations`],
  [{ LOCALAPPDATA: '/local' }, 'linux', `fs:${homedir()}/.local/share/conv/conversations`],
  [{ LOCALAPPDATA: '/local' }, 'win32', 'fs:/local/conv/conversations'],
  [{}, 'darwin', `fs:${homedir()}/.local/share/conv/conversations`],
] as const)('the variables %j on %s make the own store of the user %s', (environment, platform, address) => {
  expect(defaultStoreAddress(environment, platform)).toBe(address);
});
