import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { groupPlace } from '../src/group-place.ts';
import { newFolder } from './open-sandbox.ts';

const SERVICE = 'user.slice/app.slice/conv.service';

/** Files of a group that lets groups in it have limits. */
const OPEN = {
  'cgroup.procs': '',
  'cgroup.controllers': 'cpu memory pids\n',
  'cgroup.subtree_control': 'memory pids\n',
};

/** Files of a group that has no limits of its own. */
const FREE = { 'cgroup.procs': '', 'cgroup.type': 'domain\n', 'memory.max': 'max\n', 'pids.max': 'max\n' };

interface Hierarchy {
  /** The lines by which the kernel names the groups of this process. */
  readonly groups: string;
  /** Files of groups, by the folder of the group. */
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The part of the hierarchy that is mounted. */
  readonly root?: string;
  readonly version?: 1 | 2;
}

/** Writes files as the kernel shows groups. Returns the folder where they are mounted, and the place that is found. */
function placeIn({ groups, files, root = '/', version = 2 }: Hierarchy): { place: unknown; mounted: string } {
  const folder = newFolder();
  const mounted = join(folder, 'cgroup');
  for (const [path, content] of Object.entries(files).flatMap(([group, byName]) =>
    Object.entries(byName).map(([name, text]) => [join(mounted, group, name), text] as const),
  )) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const self = join(folder, 'self');
  mkdirSync(self);
  writeFileSync(join(self, 'cgroup'), groups);
  const system = version === 2 ? 'cgroup2 cgroup2 rw,nsdelegate' : 'cgroup cgroup rw,pids';
  writeFileSync(
    join(self, 'mountinfo'),
    `23 1 8:1 / / rw - ext4 /dev/sda rw\n38 31 0:35 ${root} ${mounted} rw,relatime shared:9 - ${system}\n`,
  );
  return { place: groupPlace(512, self), mounted };
}

test('a service makes groups beside its own, where its folder was delegated', () => {
  const files = { [dirname(SERVICE)]: OPEN, [SERVICE]: FREE };
  const { place, mounted } = placeIn({ groups: `0::/${SERVICE}\n`, files });
  expect(place).toEqual({ folder: join(mounted, dirname(SERVICE)), controllers: new Set(['memory', 'pids']) });
});

test('a process in a mounted part of the hierarchy finds its place there', () => {
  const files = { 'app.slice': OPEN, 'app.slice/conv.service': FREE };
  const { place, mounted } = placeIn({ groups: `0::/${SERVICE}\n`, root: '/user.slice', files });
  expect(place).toMatchObject({ folder: join(mounted, 'app.slice') });
});

test('a process at the top makes groups in it, because the top may have both', () => {
  const { place, mounted } = placeIn({ groups: '0::/\n', files: { '': OPEN } });
  expect(place).toMatchObject({ folder: join(mounted, '') });
});

test('limits that a delegated folder does not have yet are asked for', () => {
  const files = { 'conv.service': { ...OPEN, 'cgroup.subtree_control': 'pids\n' }, 'conv.service/main': FREE };
  const { place, mounted } = placeIn({ groups: '0::/conv.service/main\n', files });
  expect(readFileSync(join(mounted, 'conv.service/cgroup.subtree_control'), 'utf8')).toBe('+memory');
  // a kernel would show both now
  expect(place).toBeUndefined();
});

test.each([
  ['memory', { 'memory.max': '2147483648\n' }],
  ['memory, softly', { 'memory.high': '2147483648\n' }],
  ['processor time', { 'cpu.max': '50000 100000\n' }],
  ['processors', { 'cpuset.cpus': '0-1\n' }],
  ['fewer processes than a program may have', { 'pids.max': '511\n' }],
])('a program is not moved out of a group with limits of an administrator: %s', (_, limits) => {
  const files = { [dirname(SERVICE)]: OPEN, [SERVICE]: { ...FREE, ...limits } };
  expect(placeIn({ groups: `0::/${SERVICE}\n`, files }).place).toBeUndefined();
});

test('a group that may have more processes than a program is left', () => {
  const files = { [dirname(SERVICE)]: OPEN, [SERVICE]: { ...FREE, 'pids.max': '4915\n', 'cpu.max': 'max 100000\n' } };
  expect(placeIn({ groups: `0::/${SERVICE}\n`, files }).place).toBeDefined();
});

test.each([
  ['is not mounted', `0::/${SERVICE}\n`, '/other.slice'],
  ['lies outside of the namespace', '0::/../other.service\n', '/'],
  ['is not named', '', '/'],
])('no place is found where the group of this process %s', (_, groups, root) => {
  const files = { [dirname(SERVICE)]: OPEN, [SERVICE]: FREE, '': OPEN };
  expect(placeIn({ groups, root, files }).place).toBeUndefined();
});

test('no place is found where no process can be moved', () => {
  const { 'cgroup.procs': _, ...closed } = OPEN;
  expect(
    placeIn({ groups: `0::/${SERVICE}\n`, files: { [dirname(SERVICE)]: closed, [SERVICE]: FREE } }).place,
  ).toBeUndefined();
});

test("groups in version 1 are made in the process's own group", () => {
  const groups = '9:name=systemd:/\n8:pids:/docker/one\n4:memory:/docker/two\n0::/\n';
  const { place, mounted } = placeIn({ groups, version: 1, files: { 'docker/one': { 'cgroup.procs': '' } } });
  expect(place).toEqual({ folder: join(mounted, 'docker/one'), controllers: new Set(['pids']) });
});

test('a machine without control groups has no place', () => {
  expect(groupPlace(512, '/nowhere')).toBeUndefined();
});
