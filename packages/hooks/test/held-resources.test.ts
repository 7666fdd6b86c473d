import { join } from 'node:path';

import type { HookOccasion } from '@conv/core';
import { leaks } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { createHooks, type HookSettings } from '../src/index.ts';
import { lineOf } from './support/processes.ts';
import { type HooksAtWork, putToWork } from './support/session.ts';

const STOP: HookOccasion = { type: 'Stop' };

function stopping(command: string, settings: HookSettings = {}): HooksAtWork {
  return putToWork(createHooks({ stop: [{ hooks: [{ command, ...settings }] }] }));
}

async function blockedBy(command: string, settings: HookSettings, signal: AbortSignal): Promise<void> {
  const { run, runner } = stopping(command, { onError: 'deny', ...settings });
  expect(await run(STOP, signal)).toMatchObject({ blocked: true });
  await runner.close();
}

/** Uses of hooks, by what becomes of them. Each is given a signal that never aborts. */
const uses: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'allowed and denied': async (signal) => {
    const commands = ['cat > /dev/null', 'echo no >&2; exit 2', `echo '{"decision": "deny"}'`];
    const { run, runner } = putToWork(createHooks({ stop: commands.map((command) => ({ hooks: [{ command }] })) }));
    expect(await run(STOP, signal)).toMatchObject({ blocked: true });
    await runner.close();
  },
  'are not there': (signal) => blockedBy('/not/there', {}, signal),
  'died of a signal': (signal) => blockedBy('kill -9 $$', {}, signal),
  'took too long, with a child': (signal) => blockedBy('sleep 1000 & wait', { timeout: 1 }, signal),
  'left a child behind': async (signal) => {
    const { run, runner } = stopping('sleep 1000 & echo done');
    expect(await run(STOP, signal)).toMatchObject({ blocked: false });
    await runner.close();
  },
  'were interrupted': async () => {
    const { run, runner, folder } = stopping('echo here > started; sleep 1000');
    const interrupt = new AbortController();
    const running = run(STOP, interrupt.signal);
    await lineOf(join(folder, 'started'));
    interrupt.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await runner.close();
  },
  'ran in the background until the conversation was closed': async (signal) => {
    const { run, runner, folder } = stopping('echo here > started; sleep 1000', { async: true });
    expect(await run(STOP, signal)).toMatchObject({ blocked: false });
    await lineOf(join(folder, 'started'));
    await runner.close();
  },
  'are functions that answer, throw, or never answer': async (signal) => {
    const never = (): Promise<undefined> => new Promise<undefined>(() => {});
    const functions = { yes: () => undefined, broken: () => Promise.reject(new Error('no')), never };
    const hooks = Object.keys(functions).map((name) => ({ type: 'function' as const, name, timeout: 1 }));
    const { run, runner } = putToWork(createHooks({ stop: [{ hooks }] }, { functions }));
    await run(STOP, signal);
    await runner.close();
  },
  'are prompts that the model answers, and prompts that fail': async (signal) => {
    const hooks = createHooks({ stop: [{ hooks: [{ type: 'prompt', prompt: 'May it?' }] }] });
    const answers = [async () => 'yes', (): Promise<string> => Promise.reject(new Error('no model'))];
    for (const ask of answers) {
      const { run, runner } = putToWork(hooks, { ask });
      await run(STOP, signal);
      await runner.close();
    }
  },
};

test.each(Object.entries(uses))('nothing is held of hooks that %s', async (_, use) => {
  expect(await leaks(use)).toEqual({});
});
