import { readFile } from 'node:fs/promises';

import { StudioError } from './place.ts';

/** Where the key of a server is read from. It is never a text of the command line, which every process of the user can read. */
export interface KeySource {
  /** The name of an environment variable with the key. Default `OH_SESSION_API_KEY`. */
  readonly variable?: string | undefined;
  /** A file whose first line is the key. It takes precedence. */
  readonly file?: string | undefined;
}

/** The variable from which the programs of this project take the key of a server. */
const DEFAULT_VARIABLE = 'OH_SESSION_API_KEY';

/** Resolves with the key of a server; `undefined` when none is given. Rejects {@link StudioError} for a source that is empty. */
export async function serverKey(
  { variable, file }: KeySource,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (file !== undefined) return keyIn(file);
  const key = environment[variable ?? DEFAULT_VARIABLE]?.trim() ?? '';
  if (key !== '') return key;
  if (variable === undefined) return undefined;
  throw new StudioError(`--server-key: expected the key in the environment variable ${variable}, found none; set it`);
}

async function keyIn(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new StudioError(`--server-key-file: ${file} cannot be read; name a file whose first line is the key`, {
      cause,
    });
  }
  const key = (text.split('\n')[0] ?? '').trim();
  if (key === '') throw new StudioError(`--server-key-file: expected a key in the first line of ${file}, found none`);
  return key;
}
