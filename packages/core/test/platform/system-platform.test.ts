import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { secureRandom, systemPlatform } from '../../src/platform/index.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/platform/index.ts')).href;
const DAY = 86_400_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a timer may be longer than the 31 bits of milliseconds that hosts know', () => {
  const fired: number[] = [];
  const began = systemPlatform.monotonic();
  systemPlatform.setTimer(60 * DAY, () => fired.push(systemPlatform.monotonic() - began));
  const never = systemPlatform.setTimer(Infinity, () => fired.push(0));
  vi.advanceTimersByTime(60 * DAY - 1);
  expect(fired).toEqual([]);
  vi.advanceTimersByTime(100 * DAY);
  expect(fired).toEqual([60 * DAY]);
  never.cancel();
  expect(vi.getTimerCount()).toBe(0);
});

test('a timer whose moment has passed fires soon, and the host warns of nothing', async () => {
  vi.useRealTimers();
  const script = `const { systemPlatform } = await import('${MODULE}');
    process.on('warning', ({ name }) => console.log(name));
    systemPlatform.setTimer(-0.01, () => setImmediate(() => console.log('fired')));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stdout).toBe('fired\n');
});

test('a timer that was cancelled or disposed of does not fire', () => {
  let fired = 0;
  systemPlatform.setTimer(1, () => fired++).cancel();
  {
    using _timer = systemPlatform.setTimer(1, () => fired++);
  }
  vi.advanceTimersByTime(10);
  expect(fired).toBe(0);
});

test('the wall clock and the monotonic clock are the clocks of the host', () => {
  vi.setSystemTime(5_000);
  expect(systemPlatform.now()).toBe(5_000);
  const before = systemPlatform.monotonic();
  vi.advanceTimersByTime(40);
  expect(systemPlatform.monotonic() - before).toBe(40);
});

test('a timer in the background does not keep the process running', async () => {
  vi.useRealTimers();
  const script = `const { systemPlatform } = await import('${MODULE}');
    systemPlatform.setTimer(10, () => console.log('foreground'));
    systemPlatform.setTimer(600_000, () => console.log('background'), { background: true });`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  expect(stdout).toBe('foreground\n');
});

test('ids are random UUIDs, also on pages whose origin is not safe', () => {
  const { crypto } = globalThis;
  expect(systemPlatform.id()).toMatch(UUID);
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes) });
  const [first, second] = [systemPlatform.id(), systemPlatform.id()];
  expect(first).toMatch(UUID);
  expect(second).toMatch(UUID);
  expect(second).not.toBe(first);
});

test('random numbers of the system are as many bytes as asked for', () => {
  expect(secureRandom(24)).toHaveLength(24);
  expect(secureRandom(24)).not.toEqual(secureRandom(24));
});

test('the next turn comes without the timers of Node, too', async () => {
  vi.useRealTimers();
  await systemPlatform.nextTurn();
  vi.stubGlobal('setImmediate', undefined);
  await systemPlatform.nextTurn();
});
