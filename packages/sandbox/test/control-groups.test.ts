import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { ControlGroups } from '../src/control-groups.ts';
import { groupPlace, type GroupPlace } from '../src/group-place.ts';
import { limitsOf, type LimitReached } from '../src/limits.ts';
import { firstInside } from '../src/process-tree.ts';
import { Watcher } from '../src/watcher.ts';
import { start, SteppedPlatform } from './limited.ts';
import { isHere, newFolder, open } from './open-sandbox.ts';

const place = groupPlace(512);
const canMake = isHere && place !== undefined && canMakeIn(place.folder);

function canMakeIn(folder: string): boolean {
  try {
    mkdirSync(join(folder, 'conv-test'));
    rmdirSync(join(folder, 'conv-test'));
    return true;
  } catch {
    return false;
  }
}

/** Starts processes without end, and then prints their number. */
const BOMB = `perl -e '$| = 1; my $n = 0; while (1) { my $p = fork; defined $p or last; $p or exec "sleep", 1000; $n++ } print "$n\\n"; sleep 1000'`;

/** Returns the group of the first process inside; `undefined` before it is there. */
function groupOf(pid: number): string | undefined {
  const first = firstInside(pid);
  if (first === undefined) return undefined;
  const [, name] = /(conv-sandbox-.*)$/m.exec(readFileSync(`/proc/${first}/cgroup`, 'utf8')) ?? [];
  return name === undefined ? undefined : join(place?.folder ?? '', name);
}

async function groupWhenMoved(pid: number): Promise<string> {
  await expect.poll(() => groupOf(pid)).toBeDefined();
  return groupOf(pid) ?? '';
}

describe.skipIf(!canMake)('where this process may make control groups, which is not so everywhere,', () => {
  test('a program that is never looked at has no more than twice its processes', async () => {
    const fixture = await open({ platform: new SteppedPlatform(), limits: { processes: 30 } });
    const { pid, said } = start(fixture, `until [ -e go ]; do sleep 0.01; done; ${BOMB}`);
    await groupWhenMoved(pid);
    writeFileSync(join(fixture.workspace, 'go'), '');
    const children = Number(await said);
    expect(children).toBeGreaterThan(30);
    expect(children).toBeLessThan(60);
  });

  test('a program that ends because it was refused more is told its limit, also before it is looked at', async () => {
    const fixture = await open({ platform: new SteppedPlatform(), limits: { processes: 30 } });
    const { pid, ended } = start(
      fixture,
      `until [ -e go ]; do sleep 0.01; done; ${BOMB.replace('; sleep 1000', '; exit 9')}`,
    );
    await groupWhenMoved(pid);
    writeFileSync(join(fixture.workspace, 'go'), '');
    expect(await ended).toBe(9);
    expect(fixture.confinement.endOf?.(pid)).toContain('expected at most 30 processes and threads, found ');
  });

  test.skipIf(place?.controllers.has('memory') !== true)(
    'a program that is never looked at is ended by the kernel for its memory, and told its limit',
    async () => {
      const fixture = await open({ platform: new SteppedPlatform(), limits: { memory: 64 * 2 ** 20 } });
      const line = `until [ -e go ]; do sleep 0.01; done; perl -e 'my @kept; push @kept, "x" x 2**20 while @kept < 500'; echo left`;
      const { pid, ended } = start(fixture, line);
      await groupWhenMoved(pid);
      writeFileSync(join(fixture.workspace, 'go'), '');
      expect(await ended).not.toBe(0);
      expect(fixture.confinement.endOf?.(pid)).toContain('expected at most 64 MiB of memory, found 72 MiB');
    },
  );

  test('all processes of a program are moved that it started before', async () => {
    const fixture = await open({ platform: new SteppedPlatform() });
    const { pid, said } = start(fixture, 'for i in 1 2 3 4 5; do (sleep 1000; :) & done; echo begun; wait');
    await said;
    const group = await groupWhenMoved(pid);
    // bubblewrap, the first process, the shell, and two for each
    await expect.poll(() => readFileSync(join(group, 'cgroup.procs'), 'utf8').trim().split('\n').length).toBe(13);
  });

  test('the group of a program is removed when it has ended', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform });
    const { pid, ended } = start(fixture, 'sleep 1000');
    const group = await groupWhenMoved(pid);
    process.kill(pid, 'SIGKILL');
    await ended;
    // what it had started ends when the kernel has the time for it, and there are only so many looks
    await expect.poll(() => readFileSync(join(group, 'cgroup.procs'), 'utf8')).toBe('');
    await expect
      .poll(() => {
        platform.step();
        return existsSync(group);
      })
      .toBe(false);
    expect(platform.timers.size).toBe(0);
  });

  test('a group whose processes outlive all looks for it is removed with the next one', async () => {
    const groups = new ControlGroups(limitsOf());
    const [first = '', second = ''] = ['one', 'two'].map((word) => groups.make(word)?.folder);
    const child = spawn('sleep', ['1000']);
    const exit = once(child, 'exit');
    writeFileSync(join(first, 'cgroup.procs'), String(child.pid));
    groups.remove(first);
    let looks = 1;
    while (!groups.sweep()) looks += 1;
    expect([looks, existsSync(first)]).toEqual([49, true]);
    child.kill('SIGKILL');
    await exit;
    await expect.poll(() => readFileSync(join(first, 'cgroup.procs'), 'utf8')).toBe('');
    groups.remove(second);
    await expect.poll(() => [groups.sweep(), existsSync(first), existsSync(second)]).toEqual([true, false, false]);
  });

  test('empty groups of a process that has ended are removed, and those of living ones stay', async () => {
    const folder = place?.folder ?? '';
    const other = spawn('true');
    await once(other, 'exit');
    const [left, kept] = [other.pid, process.pid].map((pid) => join(folder, `conv-sandbox-${pid}-conv-left`));
    for (const group of [left ?? '', kept ?? '']) mkdirSync(group);
    onTestFinished(() => rmdirSync(kept ?? ''));
    expect(new ControlGroups(limitsOf()).areHere).toBe(true);
    expect([existsSync(left ?? ''), existsSync(kept ?? '')]).toEqual([false, true]);
  });
});

describe('a group', () => {
  const unified = (): GroupPlace => ({ folder: newFolder(), controllers: new Set(['memory', 'pids']) });

  test('a group bounds more than the limits, so that the watcher names the limit', () => {
    const given = unified();
    const group = new ControlGroups(limitsOf({ processes: 100, memory: 8000 }), () => given).make('one');
    const { folder = '' } = group ?? {};
    const bounds = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
    expect(Object.fromEntries(bounds)).toEqual({ 'pids.max': '200', 'memory.max': '9000', 'memory.oom.group': '1' });
  });

  test('a group is not made where it would bound nothing that is limited', () => {
    const limits = limitsOf({ processes: Infinity, memory: Infinity });
    expect(new ControlGroups(limits, unified).areHere).toBe(false);
  });

  test('a group is not asked for again after this process was refused one', () => {
    const groups = new ControlGroups(limitsOf(), () => ({ ...unified(), folder: '/nowhere' }));
    expect(groups.make('one')).toBeUndefined();
    expect(groups.areHere).toBe(false);
  });

  test('a group names the limit of memory when the kernel ended its program', async () => {
    const given = unified();
    const told: LimitReached[] = [];
    const limits = limitsOf({ memory: 8000 });
    const groups = new ControlGroups(limits, () => given);
    const watcher = new Watcher(new SteppedPlatform(), limits, (reached) => void told.push(reached), groups);
    const word = watcher.expect({ conversationId: 'one', folders: [] });
    const child = spawn('sleep', ['1000'], { argv0: word });
    const exit = once(child, 'exit');
    await expect.poll(() => readdirSync(given.folder)).toHaveLength(1);
    writeFileSync(join(given.folder, readdirSync(given.folder)[0] ?? '', 'memory.events'), 'oom 1\noom_kill 1\n');
    child.kill('SIGKILL');
    await exit;
    expect(watcher.endOf(child.pid ?? 0)).toContain('the sandbox ended it and all that it had started');
    expect(told).toEqual([{ conversationId: 'one', pid: child.pid, limit: 'memory', used: 9000, allowed: 8000 }]);
  });
});
