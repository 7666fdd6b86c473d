import { checkHooksOptions } from './check-hooks-options.ts';
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checks, type Hooks } from '@conv/core';
import { givenHooks } from './create-hooks.ts';
import type { HooksOptions } from './hooks-config.ts';
import { HooksError, isHooksError } from './hooks-error.ts';

/**
 * Reads `<directory>/.openhands/hooks.json`; resolves `undefined` if there is no such file. An agent can write this file of its
 * workspace, so give the option `sandbox` where its programs are confined. Without it the commands run with the rights of this
 * process: load the hooks only of folders whose authors may do that. A pipe, a link that leads out of the folder and a file of more than 1 MiB are refused.
 *
 * @throws HooksError `UNREADABLE` if the file cannot be read or is not JSON, `INVALID_CONFIG` if it is not a valid
 * configuration; both name the file.
 * @example
 * ```ts
 * import { loadHooks } from '@conv/hooks';
 *
 * export const hooks = await loadHooks(process.cwd(), { onError: 'deny' });
 * ```
 */
export async function loadHooks(directory: string, options: HooksOptions = {}): Promise<Hooks | undefined> {
  checkHooksOptions('loadHooks', options);
  if (typeof directory !== 'string')
    throw new HooksError('INVALID_CONFIG', checks.wrongValue('loadHooks', 'the path of a folder', directory));
  const path = join(directory, '.openhands', 'hooks.json');
  const text = await textOf(path, directory);
  if (text === undefined) return undefined;
  let config: unknown;
  try {
    config = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new HooksError('UNREADABLE', `${path}: expected JSON, found other text`, { cause });
  }
  try {
    return givenHooks(config, options);
  } catch (cause) {
    if (!isHooksError(cause)) throw cause;
    throw new HooksError(cause.code, `${path}: ${cause.text}`, { cause });
  }
}

/** Opens a pipe without waiting for a program that writes to it. */
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/** The most bytes of the file. */
const MAX_SIZE = 1024 * 1024;

/**
 * Resolves with the text of a file in a folder; `undefined` if there is none. Everything is asked of the opened file, because an agent may put a link or a
 * pipe in its place at any time, and would otherwise choose which file of this machine is shown as hooks.
 */
async function textOf(path: string, directory: string): Promise<string | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, WITHOUT_WAITING);
    const about = await file.stat();
    if (!about.isFile()) throw unreadable(path, 'expected a file');
    const root = await realpath(directory);
    // without /proc the path is asked again
    const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
    if (/^\.\.(?:\/|$)/.test(relative(root, real)))
      throw unreadable(path, `expected a file in ${root}, found a link to ${real}; put the file itself there`);
    if (about.size > MAX_SIZE) throw unreadable(path, `expected at most ${MAX_SIZE} bytes, found ${about.size}`);
    return await file.readFile('utf8');
  } catch (cause) {
    if (isHooksError(cause)) throw cause;
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw unreadable(path, 'cannot be read; check its permissions', cause);
  } finally {
    await file?.close();
  }
}

function unreadable(path: string, reason: string, cause?: unknown): HooksError {
  return new HooksError('UNREADABLE', `${path}: ${reason}`, cause === undefined ? {} : { cause });
}
