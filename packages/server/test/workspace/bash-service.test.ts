import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemPlatform, type Platform } from '@conv/core/platform';
import { ManualPlatform } from '@conv/testing-harness';
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { BashOutput } from '@conv/openhands/rest';

import type { KeptBashEvent } from '../../src/workspace/bash-log.ts';
import { type BashOptions, BashService, TooManyCommandsError } from '../../src/workspace/bash-service.ts';

const path = { PATH: process.env['PATH'] ?? '' };
const never = new AbortController().signal;
/** Milliseconds after which a stopped command is killed. */
const STOP_GRACE = 1000;
let folder: string;
const services: BashService[] = [];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-bash-')));
});

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** A platform whose time stands still: a command has no time limit, and its output comes with its end and not in pieces. */
const still = (): { readonly platform: ManualPlatform } => ({ platform: new ManualPlatform(systemPlatform.now()) });

function serviceWith(options: Partial<BashOptions> = {}): BashService {
  const service = new BashService({
    platform: systemPlatform,
    environment: path,
    workingDirectory: folder,
    ...options,
  });
  services.push(service);
  return service;
}

/** Resolves with the last output of a command. */
function lastOutput(service: BashService, commandId: string): Promise<BashOutput> {
  const isLast = (event: KeptBashEvent): event is BashOutput =>
    event.kind === 'BashOutput' && event.command_id === commandId && event.exit_code !== null;
  return new Promise((resolve) => {
    const stop = service.subscribe((event) => {
      if (!isLast(event)) return;
      stop();
      resolve(event);
    });
    const there = service.find({ commandId }).find(isLast);
    if (there) resolve(there);
  });
}

/** Resolves when a command has written `ready`. */
function ready(service: BashService, commandId: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = service.subscribe((event) => {
      if (event.kind !== 'BashOutput' || event.command_id !== commandId || !event.stdout?.includes('ready')) return;
      stop();
      resolve();
    });
  });
}

it('the service runs a command and answers with its exit code and both of its streams', async () => {
  const output = await serviceWith().execute({ command: 'echo out; echo err >&2; exit 3' }, never);
  expect(output).toMatchObject({ exit_code: 3, stdout: 'out\n', stderr: 'err\n', kind: 'BashOutput' });
  expect(output.id).toMatch(/^[0-9a-f]{32}$/);
  expect(output.timestamp).toMatch(/Z$/);
});

it('the service stops a command, which may clean up, and says again that it is stopped', async () => {
  // cleaning up may take long on a busy machine
  const setTimer: Platform['setTimer'] = (milliseconds, ...more) =>
    systemPlatform.setTimer(milliseconds === STOP_GRACE ? Infinity : milliseconds, ...more);
  const service = serviceWith({ platform: { ...systemPlatform, setTimer } });
  const { id } = await service.start({
    command: "trap 'echo cleaned; exit 7' TERM; echo ready; while :; do sleep 0.05; done",
  });
  await ready(service, id);
  const last = lastOutput(service, id);
  expect(await service.stop(id)).toBe(true);
  expect(await last).toMatchObject({ exit_code: 7, stdout: expect.stringContaining('cleaned') });
  expect(await service.stop(id)).toBe(true);
});

it('the service kills a stopped command that does not end, and no other one', async () => {
  const service = serviceWith();
  const other = await service.start({ command: 'sleep 60' });
  const { id } = await service.start({ command: "trap '' TERM; echo ready; while :; do sleep 0.05; done" });
  await ready(service, id);
  const last = lastOutput(service, id);
  expect(await service.stop(id)).toBe(true);
  expect((await last).exit_code).toBe(137);
  expect(service.find({ kind: 'BashOutput', commandId: other.id })).toEqual([]);
});

it('the service finds no command to stop under the id of another event or an unknown id', async () => {
  const service = serviceWith();
  const output = await service.execute({ command: 'true' }, never);
  expect([await service.stop(output.id), await service.stop('0'.repeat(32))]).toEqual([false, false]);
});

it('the service runs in the folder that is named, else in that of the server', async () => {
  const service = serviceWith({ checkFolder: (named) => `${folder}/${named}` });
  expect((await service.execute({ command: 'mkdir inner; pwd' }, never)).stdout).toBe(`${folder}\n`);
  expect((await service.execute({ command: 'pwd', cwd: 'inner' }, never)).stdout).toBe(`${folder}/inner\n`);
});

it('the service gives commands the environment that it was given and nothing of its own', async () => {
  process.env['CONV_TEST_KEY'] = 'of the server';
  try {
    const { stdout } = await serviceWith().execute({ command: 'echo "[$CONV_TEST_KEY]"' }, never);
    expect(stdout).toBe('[]\n');
  } finally {
    delete process.env['CONV_TEST_KEY'];
  }
});

it('the service answers a folder that is not there with a failed command', async () => {
  const output = await serviceWith().execute({ command: 'true', cwd: join(folder, 'gone') }, never);
  expect(output.exit_code).toBe(127);
  expect(output.stderr).toContain('ENOENT');
});

it('the service kills a command, and what it started, when its time is up: exit code -1', async () => {
  const { platform } = still();
  const service = serviceWith({ platform });
  const executed = service.execute(
    { command: 'sleep 600 & echo $! > pid; cat pid; touch told; wait', timeout: 2 },
    never,
  );
  await expect.poll(() => existsSync(join(folder, 'told'))).toBe(true);
  platform.pass(1999);
  expect(isRunning(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(true);
  platform.pass(1);
  const output = await executed;
  expect(output.exit_code).toBe(-1);
  expect(output.stdout).toMatch(/^\d+\n$/);
  // the kernel ends it a moment after it was killed
  await expect.poll(() => isRunning(Number(output.stdout))).toBe(false);
});

it('the service kills a command when its caller stops waiting', async () => {
  const service = serviceWith();
  const caller = new AbortController();
  const executed = service.execute({ command: 'echo $$; exec sleep 600' }, caller.signal);
  const pid = await new Promise<number>((resolve) => {
    service.subscribe((event) => {
      if (event.kind === 'BashOutput') resolve(Number(event.stdout));
    });
  });
  caller.abort(new Error('the client has gone'));
  await expect(executed).rejects.toThrow('the client has gone');
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it('the service does not wait for what a command left in the background', async () => {
  const output = await serviceWith().execute({ command: 'sleep 600 & echo $!', timeout: 60 }, never);
  expect(output.exit_code).toBe(0);
  expect(isRunning(Number(output.stdout))).toBe(true);
  process.kill(Number(output.stdout), 'SIGKILL');
});

it('the service cuts long output into numbered pieces, the last with the exit code, and joins them', async () => {
  const service = serviceWith();
  const lines = 400_000;
  const output = await service.execute({ command: `seq ${lines}` }, never);
  const pieces = service.find({ kind: 'BashOutput' }) as readonly BashOutput[];
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.map(({ order }) => order)).toEqual(pieces.map((_, index) => index));
  expect(pieces.filter(({ exit_code: code }) => code !== null)).toEqual([pieces.at(-1)]);
  expect(pieces.every(({ stdout }) => (stdout?.length ?? 0) <= 1024 * 1024)).toBe(true);
  const all = Array.from({ length: lines }, (_, index) => `${index + 1}\n`).join('');
  expect(pieces.map(({ stdout }) => stdout ?? '').join('')).toBe(all);
  expect(output.stdout).toBe(all);
});

it('the service keeps a limited amount of what a command prints and says how much it left out', async () => {
  const service = serviceWith({ maxOutput: 1000 });
  const { stdout } = await service.execute({ command: 'head -c 5000 /dev/zero | tr "\\0" x' }, never);
  expect(stdout).toBe(`${'x'.repeat(1000)}\n[4000 more characters were left out]\n`);
});

it('the service never cuts a character in the middle', async () => {
  const service = serviceWith({ maxOutput: 1001 });
  const { stdout } = await service.execute({ command: `printf '%.0s😀' $(seq 1000)` }, never);
  expect(stdout).toBe(`${'😀'.repeat(500)}\n[1000 more characters were left out]\n`);
});

it('the service hands out what a command prints while it still runs', async () => {
  const service = serviceWith();
  const first = new Promise<KeptBashEvent>((resolve) => {
    service.subscribe((event) => {
      if (event.kind === 'BashOutput') resolve(event);
    });
  });
  await service.start({ command: 'echo early; exec sleep 600' });
  expect(await first).toMatchObject({ stdout: 'early\n', exit_code: null, order: 0 });
});

it('the service finds events by kind, command, time, number and id, in both directions', async () => {
  const { platform } = still();
  const service = serviceWith({ platform });
  const command = await service.start({ command: 'echo one' });
  const last = await lastOutput(service, command.id);
  platform.pass(1);
  const other = await service.start({ command: 'true' });
  await lastOutput(service, other.id);
  expect(service.find({ kind: 'BashCommand' })).toEqual([command, other]);
  expect(service.find({ commandId: command.id })).toEqual([last]);
  expect(service.find({ commandId: dashed(command.id).toUpperCase() })).toEqual([last]);
  expect(service.find({ commandId: command.id, orderAbove: last.order })).toEqual([]);
  expect(service.find({ until: command.timestamp })).toEqual([]);
  expect(service.find({ from: command.timestamp })).toHaveLength(4);
  expect(service.find({ newestFirst: true })[3]).toBe(command);
  expect(service.get(last.id)).toBe(last);
  expect(service.get('0'.repeat(32))).toBeUndefined();
  expect(service.clear()).toBe(4);
  expect(service.find()).toEqual([]);
});

it('the service forgets the oldest events when there are too many bytes of them', async () => {
  const service = serviceWith({ capacity: 20_000, ...still() });
  for (let turn = 0; turn < 5; turn++)
    await service.execute({ command: `head -c 5000 /dev/zero | tr "\\0" ${turn}` }, never);
  const outputs = service.find({ kind: 'BashOutput' }) as readonly BashOutput[];
  expect(outputs.at(-1)?.stdout?.[0]).toBe('4');
  expect(outputs.length).toBeLessThan(3);
});

it('the service refuses more commands at the same time than it may run', async () => {
  const service = serviceWith({ maxCommands: 1 });
  await service.start({ command: 'exec sleep 600' });
  await expect(service.start({ command: 'true' })).rejects.toThrow(TooManyCommandsError);
});

it('the service kills what runs when it is closed', async () => {
  const service = serviceWith();
  const command = await service.start({ command: 'exec sleep 600' });
  await service.close();
  expect(await lastOutput(service, command.id)).toMatchObject({ exit_code: 137 });
  await expect(service.start({ command: 'true' })).rejects.toThrow('the server is closing; try again later');
});

/** True if the process exists and is not a zombie. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}

function dashed(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
