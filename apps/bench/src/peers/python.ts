import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { PYTHON_LOCK } from './install.ts';

const run = promisify(execFile);

const ROOT = resolve(import.meta.dirname, '../../../..');
const FOLDER = join(ROOT, '.cache/peers-python');
const SETUP = join(ROOT, 'tooling/interop/setup.mjs');

/** Python of the environment with the pinned packages; it is there once {@link installPython} has resolved without a reason. */
export const PEERS_PYTHON: string = join(FOLDER, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');

/** Home folder of programs of Python that are measured, in which they look for settings and find none. */
export const PEERS_HOME: string = join(FOLDER, 'home');

/** File that is written last: an installation that was interrupted is none. */
const STAMP = join(FOLDER, 'conv-interop.json');

/** True if an environment is there; it may hold older packages than the lock file. */
function isPythonInstalled(): boolean {
  return existsSync(STAMP) && existsSync(PEERS_PYTHON);
}

/**
 * Makes an environment with the pinned packages in `.cache/peers-python`, by a Python >= 3.12 that is there; no Python is installed.
 * Resolves at once where it is up to date. Resolves with the reason where there can be none.
 */
export async function installPython(log: (line: string) => void): Promise<string | undefined> {
  if (!isPythonInstalled()) log('installing the peers of Python into .cache/peers-python, once');
  try {
    await run(process.execPath, [SETUP, FOLDER, '--requirements', PYTHON_LOCK, '--found-only'], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return undefined;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    log(`no peers of Python: ${stderr?.trim() || String(error)}`);
    return stderr?.startsWith('No Python') ? 'no Python >= 3.12 on this machine' : 'its packages cannot be installed';
  }
}
