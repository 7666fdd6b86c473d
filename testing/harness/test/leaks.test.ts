import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { leaks } from '../src/index.ts';

const ROUNDS = { warmUp: 1, rounds: 3, looks: 5 };

test('work that gives everything back leaks nothing', async () => {
  const work = async (signal: AbortSignal): Promise<void> => {
    const listener = (): void => {};
    signal.addEventListener('abort', listener);
    process.on('SIGUSR2', listener);
    const timer = setTimeout(listener, 60_000);
    const child = spawn('sleep', ['60']);
    child.kill();
    await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    process.off('SIGUSR2', listener);
    signal.removeEventListener('abort', listener);
    closeSync(openSync('/dev/null', 'r'));
  };
  expect(await leaks(work, { ...ROUNDS, looks: 300 })).toEqual({});
});

const gone: Readonly<Record<string, (signal: AbortSignal) => void>> = {
  descriptor: () => {
    const descriptor = openSync('/dev/null', 'r');
    onTestFinished(() => closeSync(descriptor));
  },
  'child process': () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill());
  },
  'listener on the signal': (signal) => signal.addEventListener('abort', () => {}),
  'listener on SIGUSR2': () => {
    const listener = (): void => {};
    process.on('SIGUSR2', listener);
    onTestFinished(() => void process.off('SIGUSR2', listener));
  },
};

test.each(Object.entries(gone))('work that keeps a %s leaks one of them a round', async (kind, keep) => {
  expect(await leaks(async (signal) => keep(signal), ROUNDS)).toMatchObject({ [kind]: 3 });
});

test('work that keeps a timer leaks one of them a round, and the place that made it is named', async () => {
  const work = async (): Promise<void> => {
    const timer = setTimeout(() => {}, 60_000).unref();
    onTestFinished(() => clearTimeout(timer));
  };
  const made = Object.entries(await leaks(work, ROUNDS));
  for (const [kind] of made) expect(kind).toMatch(/^timer at work .*leaks\.test\.ts:\d+/);
  expect(made.reduce((sum, [, count]) => sum + count, 0)).toBe(3);
});

/** Begins an interval made of timers, until the test ends, and returns the number of its ticks. */
function interval(milliseconds: number): () => number {
  let ticks = 0;
  let timer = setTimeout(tick, milliseconds);
  function tick(): void {
    ticks++;
    timer = setTimeout(tick, milliseconds);
  }
  onTestFinished(() => clearTimeout(timer));
  return () => ticks;
}

test('work that keeps an interval made of timers leaks one of them a round, of the place that began it', async () => {
  const kept: (() => number)[] = [];
  const work = async (): Promise<void> => void kept.push(interval(1));
  const made = Object.entries(await leaks(work, { ...ROUNDS, looks: 50 }));
  expect(Math.min(...kept.map((ticks) => ticks()))).toBeGreaterThan(1);
  for (const [kind] of made) expect(kind).toMatch(/^timer at interval .*leaks\.test\.ts:\d+/);
  expect(made.reduce((sum, [, count]) => sum + count, 0)).toBe(3);
});

test('intervals that others began before leak nothing, even if each ticks first only afterwards', async () => {
  const others = Array.from({ length: 5 }, () => interval(200));
  const work = async (): Promise<void> => {
    const until = performance.now() + 10_000;
    while (others.some((ticks) => ticks() === 0) && performance.now() < until) await new Promise(setImmediate);
  };
  expect(await leaks(work, { ...ROUNDS, warmUp: 0 })).toEqual({});
  expect(Math.min(...others.map((ticks) => ticks()))).toBeGreaterThan(0);
});

test('work that keeps a server listening leaks its handle', async () => {
  const work = async (): Promise<void> => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
  };
  expect(await leaks(work, ROUNDS)).toMatchObject({ TCPServerWrap: 3 });
});
