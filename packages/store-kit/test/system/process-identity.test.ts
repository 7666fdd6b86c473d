import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, test } from 'vitest';

import { lifeOf, networkFileSystem, ownIdentity, type ProcessIdentity } from '../../src/system/index.ts';

const own = ownIdentity();

test('this process is alive, and survives being stored as JSON', () => {
  expect(lifeOf(own)).toBe('alive');
  expect(lifeOf(JSON.parse(JSON.stringify(own)) as ProcessIdentity)).toBe('alive');
});

test('a process that has ended is dead', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  const { pid } = child;
  await once(child, 'exit');
  expect(lifeOf({ ...own, pid: pid as number, startedAt: '1' })).toBe('dead');
});

test.runIf(process.platform === 'linux')(
  'a process with a reused pid is dead, unless its start was never known',
  () => {
    expect(lifeOf({ ...own, startedAt: '1' })).toBe('dead');
    expect(lifeOf({ ...own, startedAt: null })).toBe('alive');
  },
);

test('a process of an earlier boot is dead, and that of a kernel without a boot id is unknown', () => {
  const kernel = { ...own, boot: 'a1' };
  expect(lifeOf({ ...own, boot: 'b2' }, kernel)).toBe('dead');
  expect(lifeOf({ ...own, boot: 'host b' }, kernel)).toBe('unknown');
  expect(lifeOf({ ...own, boot: 'b2' }, { ...own, boot: 'host a' })).toBe('unknown');
});

test('nothing is known of a process in another container', () => {
  expect(lifeOf({ ...own, namespace: 'pid:[1]' })).toBe('unknown');
});

test('network file systems have names, even where their number is signed', () => {
  expect(networkFileSystem(0x6969)).toBe('NFS');
  expect(networkFileSystem(0xff534d42 | 0)).toBe('CIFS');
  expect(networkFileSystem(0xef53)).toBeUndefined();
});
