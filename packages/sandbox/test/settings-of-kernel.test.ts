import { existsSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { readOnlySettings } from '../src/settings-of-kernel.ts';
import { isHere, open } from './open-sandbox.ts';

const SETTING = '/proc/sys/kernel/core_pattern';

test.skipIf(!isHere)(
  'a program of root writes no setting of the kernel, in its own mounts and in those that it enters',
  async () => {
    const before = readFileSync(SETTING, 'utf8');
    const { run } = await open();
    for (const more of [{}, { read: ['/usr'] }]) {
      // the same value, so that nothing changes where it is written
      const { output } = run(`cat ${SETTING} >seen; cat seen >${SETTING}`, more);
      expect(output).toMatch(/Read-only file system|Permission denied/i);
    }
    expect(readFileSync(SETTING, 'utf8')).toBe(before);
  },
);

test('a program of another user, whom the kernel refuses its settings, pays for no mount', () => {
  expect(readOnlySettings(1000)).toEqual([]);
});

test.runIf(process.platform === 'linux')('a program of root has only settings that this machine has', () => {
  const given = readOnlySettings(0);
  expect(given.join(' ')).toContain('--ro-bind /proc/sys /proc/sys');
  expect(given.filter((word) => word.startsWith('/')).every((path) => existsSync(path))).toBe(true);
});
