import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { systemPlatform, type Platform } from '@conv/core/platform';
import type { Sandbox } from '@conv/core/tool';
import { expect, test } from 'vitest';

import { ConfinedWorkspace } from '../../src/executors/confined-workspace.ts';
import { newFolder } from '../new-folder.ts';
import { eventually } from '../server-process.ts';

/** Says its process id, and never that it is ready. */
const SILENT =
  "require('fs').writeFileSync('pid', String(process.pid)); process.stderr.write('busy'); setInterval(() => {}, 1e6)";

/** Resolves with the text of the error of a start. */
function refusalOf(start: Promise<unknown>): Promise<string> {
  return start.then(() => 'none', String);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** An executor whose program never becomes ready. */
interface Silent {
  readonly workspace: ConfinedWorkspace;
  /** Resolves with its process id when it runs. */
  readonly pid: () => Promise<number>;
  /** True if its confinement was closed. */
  readonly isGone: () => boolean;
}

function silent(platform: Platform = systemPlatform): Silent {
  const folder = newFolder();
  const sideDirectory = join(folder, 'side');
  mkdirSync(sideDirectory);
  let isClosed = false;
  const place: Sandbox = {
    name: 'none',
    open: async () => ({
      rules: '',
      confine: ({ env }) => ({ command: process.execPath, args: ['-e', SILENT], cwd: folder, env }),
      place: (path) => path,
      close: async () => void (isClosed = true),
    }),
  };
  const conversation = { id: crypto.randomUUID(), workingDirectory: folder, sideDirectory, limits: {} };
  const workspace = new ConfinedWorkspace({ sandbox: place, heard: () => undefined, platform }, conversation);
  const file = join(folder, 'pid');
  return {
    workspace,
    pid: () => eventually(() => existsSync(file) && Number(readFileSync(file, 'utf8'))),
    isGone: () => isClosed,
  };
}

test('closing ends an executor that never becomes ready, and its start', async () => {
  const { workspace, pid, isGone } = silent();
  const refused = refusalOf(workspace.start());
  const id = await pid();
  await workspace.close();
  expect(await refused).toContain('[CLOSED]');
  expect([isRunning(id), isGone()]).toEqual([false, true]);
  await expect(workspace.start()).rejects.toThrow('[CLOSED]');
});

test('a caller that waits no longer ends the start of an executor, and the next one starts it again', async () => {
  const { workspace, pid } = silent();
  const caller = new AbortController();
  const refused = refusalOf(workspace.start({ signal: caller.signal }));
  const id = await pid();
  caller.abort(new Error('no longer'));
  expect(await refused).toContain('no longer');
  expect(isRunning(id)).toBe(false);
  const again = refusalOf(workspace.start());
  await workspace.close();
  expect(await again).toContain('[CLOSED]');
});

test('an executor that is not ready in time is ended and named', async () => {
  const timers = Promise.withResolvers<() => void>();
  const platform: Platform = {
    ...systemPlatform,
    setTimer: (_, work) => {
      timers.resolve(work);
      return { cancel: () => undefined, [Symbol.dispose]: () => undefined };
    },
  };
  const { workspace, pid } = silent(platform);
  const refused = refusalOf(workspace.start());
  const [fire, id] = await Promise.all([timers.promise, pid()]);
  fire();
  expect(await refused).toMatch(/\[SERVER_FAILED\] the executor of conversation \S+ was not ready within 60 s/);
  expect(isRunning(id)).toBe(false);
});
