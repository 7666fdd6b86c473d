import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { systemPlatform, type Platform } from '@conv/core/platform';
import { fillTable } from '@conv/testing-harness';
import { onTestFinished } from 'vitest';

import type { Fixture } from './open-sandbox.ts';

/** A program that runs inside. */
export interface Started {
  readonly pid: number;
  /** Resolves with the next piece of its output. */
  readonly said: Promise<string>;
  /** Resolves with its exit code when it has ended. */
  readonly ended: Promise<number | null>;
}

/** Starts a command line inside, which ends with the test at the latest. */
export function start({ confinement, workspace }: Fixture, line: string): Started {
  const plain = { command: 'bash', args: ['-c', line], cwd: workspace, env: process.env };
  const { command, args, cwd, env } = confinement.confine(plain);
  const child = spawn(command, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  if (child.pid === undefined) throw new Error(`expected a process for ${line}`);
  return { pid: child.pid, said: once(child.stdout, 'data').then(String), ended };
}

/** The host's ids, with timers that fire when the test says so. Looks take the time that it says, so that a busy machine changes no pause. */
export class SteppedPlatform implements Platform {
  readonly now: Platform['now'] = systemPlatform.now;
  readonly monotonic: Platform['monotonic'] = () => (this.#time += this.lookTime);
  readonly nextTurn: Platform['nextTurn'] = systemPlatform.nextTurn;
  readonly random: Platform['random'] = systemPlatform.random;
  readonly id: Platform['id'] = systemPlatform.id;
  /** The timers that are set, with their milliseconds. */
  readonly timers: Map<() => void, number> = new Map();
  looks = 0;
  /** Milliseconds that pass between two looks at the clock, as at the begin and the end of a look. */
  lookTime = 0;
  #time = 0;

  readonly setTimer: Platform['setTimer'] = (milliseconds, work) => {
    this.timers.set(work, milliseconds);
    const cancel = (): void => void this.timers.delete(work);
    return { cancel, [Symbol.dispose]: cancel };
  };

  /** The milliseconds until each timer that is set. */
  get pauses(): readonly number[] {
    return [...this.timers.values()];
  }

  /** Fires the timers that are set. */
  step(): void {
    this.looks += 1;
    const set = [...this.timers.keys()];
    this.timers.clear();
    for (const work of set) work();
  }
}

/** Calls `work` while this process can open no further file. */
export function withoutDescriptors(work: () => void): void {
  const empty = fillTable();
  try {
    work();
  } finally {
    empty();
  }
}
