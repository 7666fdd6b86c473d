import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Confinement } from '@conv/core/tool';
import { onTestFinished, vi } from 'vitest';

import { sandbox, type SandboxOptions } from '../src/index.ts';

/** True where bubblewrap works. */
export const isHere: boolean = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** A folder outside of the folder of temporary files, which is another folder inside. */
export function newFolder(): string {
  const base = join(import.meta.dirname, '../.cache');
  mkdirSync(base, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(base, 'sandbox-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A workspace of its own, and its confinement. */
export interface Fixture {
  readonly workspace: string;
  readonly directory: string;
  readonly confinement: Confinement;
  readonly run: (command: string, more?: RunOptions) => Ended;
}

/** The folder of a program, and the folders that it alone reads and writes. */
interface RunOptions {
  readonly cwd?: string;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

/** The output and the exit code of a program. */
export interface Ended {
  readonly output: string;
  readonly status: number | null;
}

/** Opens a workspace that is there already. */
export async function openIn(workspace: string, options: SandboxOptions = {}): Promise<Confinement> {
  const box = sandbox({ directory: join(newFolder(), 'sandboxes'), ...options });
  const confinement = await box.open({ conversationId: 'one', workingDirectory: workspace });
  onTestFinished(() => confinement.close());
  return confinement;
}

/** Makes a home with a key in it, the home of this process until the test ends. */
export function newHome(): string {
  const home = join(newFolder(), 'home');
  mkdirSync(join(home, 'bin'), { recursive: true });
  writeFileSync(join(home, 'key'), 'secret');
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  return home;
}

/** Opens a new workspace. */
export async function open(options: SandboxOptions = {}, sideDirectory?: string): Promise<Fixture> {
  const folder = newFolder();
  const [workspace, directory] = [join(folder, 'workspace'), join(folder, 'sandboxes')];
  mkdirSync(workspace);
  const confinement = await sandbox({ directory, ...options }).open({
    conversationId: 'one',
    workingDirectory: workspace,
    ...(sideDirectory === undefined ? {} : { sideDirectory }),
  });
  onTestFinished(() => confinement.close());
  return { workspace, directory, confinement, run: runIn(confinement, workspace) };
}

/** Returns a function that runs a command line inside. `path`: more folders of PATH, also of this process until the test ends. */
export function runIn(confinement: Confinement, workspace: string, path = ''): Fixture['run'] {
  if (path !== '') {
    vi.stubEnv('PATH', `${path}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
  }
  return (line, { cwd = workspace, ...more } = {}) => {
    const start = { command: 'sh', args: ['-c', line], cwd, env: process.env };
    const { command, args, cwd: folder, ...inside } = confinement.confine(start, more);
    const { stdout, stderr, status } = spawnSync(command, args, {
      cwd: folder,
      env: { ...inside.env },
      encoding: 'utf8',
      input: 'typed',
    });
    return { output: `${stdout}${stderr}`.trim(), status };
  };
}
