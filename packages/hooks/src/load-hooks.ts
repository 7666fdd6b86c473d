import { checkHooksOptions } from './check-hooks-options.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checks, type Hooks } from '@conv/core';
import { givenHooks } from './create-hooks.ts';
import type { HooksOptions } from './hooks-config.ts';
import { HooksError, isHooksError } from './hooks-error.ts';

/**
 * Reads `<directory>/.openhands/hooks.json`; resolves `undefined` if there is no such file. An agent can write this file of its
 * workspace, so give the option `sandbox` where its programs are confined. Without it the commands run with the rights of this
 * process: load the hooks only of folders whose authors may do that.
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
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new HooksError('UNREADABLE', `${path}: cannot be read`, { cause });
  }
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
