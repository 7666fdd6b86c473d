import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { sandbox, type LimitReached, type SandboxLimits } from '../src/index.ts';
import { firstInside, useOf } from '../src/process-tree.ts';
import { start, type Started, SteppedPlatform, withoutDescriptors } from './limited.ts';
import { isHere, newFolder, open } from './open-sandbox.ts';

const MEBI = 2 ** 20;

/** Starts sixty processes, and waits. */
const MANY = 'for i in $(seq 60); do sleep 1000 & done; wait';

/** Uses 400 MiB, and then waits. */
const EATER = `node -e 'globalThis.kept = Buffer.alloc(400 * 2 ** 20, 1); setInterval(() => {}, 1e6)'`;

/** Lets the watcher look at a program that works, when it has worked since the last look. */
async function lookAtWork(platform: SteppedPlatform, { pid }: Started): Promise<void> {
  const worked = (): number => useOf(firstInside(pid) ?? 0, Infinity)?.cpu ?? 0;
  const before = worked();
  while (worked() === before) await platform.nextTurn();
  platform.step();
}

test.each([
  [{ memory: 0 }, 'sandbox: limits: memory: expected a number above 0'],
  [{ processes: '100' }, 'sandbox: limits: processes: expected a number above 0'],
  [{ cpu: Number.NaN }, 'sandbox: limits: cpu: expected a number above 0'],
  [{ threads: 1 }, 'sandbox: limits: there is no option "threads"'],
])('the limits %j are refused by name', (limits, message) => {
  expect(() => sandbox({ limits: limits as SandboxLimits })).toThrow(message);
});

describe.skipIf(!isHere)('a program', () => {
  test.each<[string, SandboxLimits, string, string]>([
    ['more processes', { processes: 30 }, MANY, '30 processes'],
    ['more threads', { processes: 5 }, `node -e 'setInterval(() => {}, 1e6)'`, '5 processes and threads'],
    ['more memory', { memory: 200 * MEBI }, EATER, '200 MiB of memory'],
    [
      'more memory in files',
      { memory: 200 * MEBI },
      'head -c 300M /dev/zero >/dev/shm/file; sleep 1000',
      '200 MiB of memory',
    ],
    ['more processor time', { cpu: 0.2 }, 'while :; do :; done', '0.2 s of processor time'],
    ['more of the disk', { disk: 50 * MEBI }, 'head -c 300M /dev/zero >file; while :; do :; done', '50 MiB less space'],
    ['more time', { time: 0.2 }, 'sleep 1000', '0.2 s'],
  ])(
    'a program that uses %s than its limit is ended, and the reason can be read once',
    async (_, limits, line, most) => {
      const fixture = await open({ limits });
      const { pid, ended } = start(fixture, line);
      expect(await ended).toBe(137);
      const why = fixture.confinement.endOf?.(pid);
      expect(why).toContain(`the sandbox ended it and all that it had started: expected at most ${most}`);
      expect(fixture.confinement.endOf?.(pid)).toBeUndefined();
    },
  );

  test('a program is ended for what it started in other sessions and left to others', async () => {
    const fixture = await open({ limits: { processes: 30 } });
    const { ended } = start(fixture, `(setsid bash -c '${MANY}' &); sleep 1000`);
    expect(await ended).toBe(137);
  });

  test('a program is ended for processes that it put into namespaces of their own', async () => {
    const fixture = await open({ limits: { processes: 30 } });
    const { ended } = start(fixture, `unshare --user --pid --fork bash -c '${MANY}'; sleep 1000`);
    expect(await ended).toBe(137);
  });

  test('a program is not ended for the use of another, of which alone the embedder is told', async () => {
    const told: LimitReached[] = [];
    const limits = { processes: 30 };
    const fixture = await open({ limits, onLimit: (reached) => void told.push(reached) });
    const quiet = start(fixture, 'echo begun; sleep 1000');
    await quiet.said;
    const { pid, ended } = start(fixture, MANY);
    await ended;
    expect(told).toEqual([{ conversationId: 'one', pid, limit: 'processes', used: expect.any(Number), allowed: 30 }]);
    expect(told[0]?.used).toBeGreaterThan(30);
    expect(fixture.confinement.endOf?.(quiet.pid)).toBeUndefined();
    expect(process.kill(quiet.pid, 0)).toBe(true);
  });

  test('a program is not ended for memory that its processes share', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ limits: { memory: 200 * MEBI }, platform });
    const shares = `perl -e '$kept = "a" x 5e7; for (1 .. 6) { fork or sleep 1000 } $| = 1; print "forked"; wait'`;
    const { pid, said } = start(fixture, shares);
    await said;
    for (let looks = 0; looks < 3; looks++) platform.step();
    expect(fixture.confinement.endOf?.(pid)).toBeUndefined();
    expect(process.kill(pid, 0)).toBe(true);
  });

  test('a program is ended first by a kernel that has no memory left, with all that it starts', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform });
    const line = 'echo begun; until (grep -qx 500 /proc/self/oom_score_adj); do :; done; echo first';
    const { said, ended } = start(fixture, line);
    await said;
    platform.step();
    expect(await ended).toBe(0);
  });
});

describe.skipIf(!isHere)('the watcher', () => {
  test('the watcher looks often at resting programs, seldom where that takes long, never when none lives', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform });
    const resting = start(fixture, 'echo begun; sleep 1000');
    await resting.said;
    // the first looks have nothing to compare with
    for (let looks = 0; looks < 10; looks++) platform.step();
    expect(platform.pauses).toEqual([100]);
    platform.lookTime = 2;
    for (let looks = 0; looks < 2; looks++) platform.step();
    expect(platform.pauses).toEqual([400]);
    process.kill(resting.pid, 'SIGKILL');
    await resting.ended;
    // the kernel may not have removed all of its processes
    await expect.poll(() => (platform.step(), platform.pauses)).toEqual([]);
  });

  test('the watcher looks less often where looks take long, but soon after a single long look', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform });
    const working = start(fixture, 'echo begun; while :; do :; done');
    await working.said;
    for (let looks = 0; looks < 10; looks++) await lookAtWork(platform, working);
    platform.lookTime = 8;
    await lookAtWork(platform, working);
    expect(platform.pauses).toEqual([100]);
    await lookAtWork(platform, working);
    expect(platform.pauses).toEqual([400]);
    platform.lookTime = 1000;
    for (let looks = 0; looks < 2; looks++) await lookAtWork(platform, working);
    expect(platform.pauses).toEqual([500]);
  });

  test('the watcher looks often at a program that has just begun, however long a look takes', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform });
    platform.lookTime = 1000;
    const working = start(fixture, 'echo begun; while :; do :; done');
    await working.said;
    for (let looks = 0; looks < 5; looks++) {
      await lookAtWork(platform, working);
      expect(platform.pauses).toEqual([100]);
    }
  });

  test('the watcher finds a program that is inside long after it was announced, as on a busy machine', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform, limits: { processes: 30 } });
    const plain = { command: 'bash', args: ['-c', `echo begun; ${MANY}`], cwd: fixture.workspace, env: process.env };
    const { command, args, env } = fixture.confinement.confine(plain);
    const late = ['-c', 'read -r go; exec "$0" "$@"', command, ...args];
    const child = spawn('sh', late, { env: { ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    for (let looks = 0; looks < 30; looks++) platform.step();
    expect(platform.timers.size).toBe(1);
    child.stdin.end('go\n');
    await once(child.stdout, 'data');
    while (platform.timers.size > 0) {
      platform.step();
      await platform.nextTurn();
    }
    expect(await ended).toEqual([137, null]);
    expect(fixture.confinement.endOf?.(child.pid ?? 0)).toContain('expected at most 30 processes');
  });

  test('the watcher forgets a program that was announced and not started', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform });
    fixture.confinement.confine({ command: 'true', args: [], cwd: newFolder(), env: {} });
    expect(platform.timers.size).toBe(1);
    for (let looks = 0; looks < 30; looks++) platform.step();
    expect(platform.timers.size).toBe(0);
  });

  test('the watcher holds no timer for a conversation that is closed', async () => {
    const platform = new SteppedPlatform();
    const fixture = await open({ platform });
    fixture.confinement.confine({ command: 'true', args: [], cwd: newFolder(), env: {} });
    await fixture.confinement.close();
    expect(platform.timers.size).toBe(0);
  });

  test('the watcher does not look where nothing is limited', async () => {
    const platform = new SteppedPlatform();
    const limits = { memory: Infinity, processes: Infinity, disk: Infinity };
    const fixture = await open({ platform, limits });
    fixture.confinement.confine({ command: 'true', args: [], cwd: newFolder(), env: {} });
    expect(platform.timers.size).toBe(0);
    expect(fixture.confinement.rules).not.toContain('is ended');
  });
});

test.skipIf(!isHere)('a program is looked at again, after this process could open no file to look at it', async () => {
  const platform = new SteppedPlatform();
  const fixture = await open({ limits: { processes: 30 }, platform });
  const { said, ended } = start(fixture, `echo begun; until [ -e go ]; do sleep 0.01; done; ${MANY}`);
  await said;
  platform.step();
  withoutDescriptors(() => {
    for (let look = 0; look < 50; look++) platform.step();
  });
  writeFileSync(join(fixture.workspace, 'go'), '');
  const looking = setInterval(() => platform.step(), 20);
  onTestFinished(() => clearInterval(looking));
  expect(await ended).toBe(137);
});

test.skipIf(!isHere)('a program is found, although this process could open no file when it began', async () => {
  const platform = new SteppedPlatform();
  const fixture = await open({ limits: { processes: 30 }, platform });
  const { said, ended } = start(fixture, `echo begun; ${MANY}`);
  await said;
  withoutDescriptors(() => {
    for (let look = 0; look < 50; look++) platform.step();
  });
  const looking = setInterval(() => platform.step(), 20);
  onTestFinished(() => clearInterval(looking));
  expect(await ended).toBe(137);
});
