import { closeSync, readFileSync, statSync } from 'node:fs';

import { ConfigurationError } from './configuration.ts';
import type { Given } from './effective-configuration.ts';
import { isStrongKey, WEAK_KEY } from './strong-key.ts';

/** Settings that name a file with keys, one per line. */
export interface KeyFiles {
  readonly sessionKeysFile?: unknown;
  readonly approverKeysFile?: unknown;
  /** Its first line is the secret key; further lines are earlier secret keys. */
  readonly secretKeyFile?: unknown;
  readonly oldSecretKeysFile?: unknown;
}

/** Settings of one source, before its files are read. */
export type GivenWithFiles = Given & KeyFiles;

/** The names of these settings. */
export const KEY_FILES: readonly string[] = [
  'sessionKeysFile',
  'approverKeysFile',
  'secretKeyFile',
  'oldSecretKeysFile',
] satisfies readonly (keyof KeyFiles)[];

/** Returns the files with keys that one source of settings names. */
export function filesIn({
  sessionKeysFile,
  approverKeysFile,
  secretKeyFile,
  oldSecretKeysFile,
}: KeyFiles): readonly string[] {
  const files = [sessionKeysFile, approverKeysFile, secretKeyFile, oldSecretKeysFile];
  return files.filter((file) => typeof file === 'string');
}

/** An open file that was handed to this process, such as `/dev/fd/3`. */
const HANDED = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/;

/**
 * Returns the settings of one source, with the keys in the files that it names. Throws {@link ConfigurationError} that names the
 * file and never repeats a key.
 */
export function withKeyFiles(given: GivenWithFiles): Given {
  const { sessionKeysFile, approverKeysFile, secretKeyFile, oldSecretKeysFile, ...rest } = given;
  const [secretKey, ...older] = linesOf(secretKeyFile, 'secretKey');
  return {
    ...rest,
    ...joined('sessionKeys', rest.sessionKeys, strongLinesOf(sessionKeysFile, 'sessionKeys')),
    ...joined('approverKeys', rest.approverKeys, strongLinesOf(approverKeysFile, 'approverKeys')),
    ...joined('oldSecretKeys', rest.oldSecretKeys, [...linesOf(oldSecretKeysFile, 'oldSecretKeys'), ...older]),
    ...(secretKey === undefined ? {} : { secretKey: onlyOne(secretKey, rest.secretKey) }),
  };
}

function joined(name: keyof Given, given: unknown, read: readonly string[]): Given {
  if (read.length === 0) return {};
  return { [name]: Array.isArray(given) ? [...(given as unknown[]), ...read] : read };
}

function onlyOne(read: string, given: unknown): string {
  if (given !== undefined && given !== read)
    throw new ConfigurationError('secretKey: set either the key or its file, not both');
  return read;
}

/** Reads keys of clients. Throws for a weak key, and names its line. */
function strongLinesOf(file: unknown, setting: string): readonly string[] {
  const keys = linesOf(file, setting);
  const weak = keys.findIndex((key) => !isStrongKey(key));
  if (weak !== -1) throw new ConfigurationError(`${setting}File: key ${weak + 1} in ${String(file)}: ${WEAK_KEY}`);
  return keys;
}

/**
 * Throws {@link ConfigurationError} for a file or folder that every user of this machine may change, because its keys would be theirs.
 * @param what the setting that names it
 */
export function refuseOpenPlace(path: string, what: string, kind: 'a file' | 'a folder' = 'a file'): void {
  const mode = modeOf(path);
  if ((mode & 0o002) === 0) return;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const mend = kind === 'a file' ? 'and replace its keys if it was changed' : 'and remove what others put there';
  throw new ConfigurationError(
    `${what}: expected ${kind} that no other user of this machine can change, found ${path} with mode ${shown}; run chmod o-w ${path}, ${mend}`,
  );
}

/** Returns 0 for a file that cannot be read, which is named when it is read. */
function modeOf(file: string): number {
  try {
    return statSync(file).mode;
  } catch {
    return 0;
  }
}

function linesOf(file: unknown, setting: string): readonly string[] {
  if (file === undefined) return [];
  if (typeof file !== 'string') throw new ConfigurationError(`${setting}File: expected the path of a file`);
  const lines = read(file, setting)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0)
    throw new ConfigurationError(
      `${setting}File: expected a key in ${file}, found an empty file; write one in each line`,
    );
  return lines;
}

function read(file: string, setting: string): string {
  const handed = HANDED.exec(file)?.[1];
  if (handed === undefined) refuseOpenPlace(file, `${setting}File`);
  try {
    const content = readFileSync(handed === undefined ? file : Number(handed), 'utf8');
    // programs that this process starts would inherit it
    if (handed !== undefined) closeSync(Number(handed));
    return content;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it cannot be read';
    throw new ConfigurationError(
      `${setting}File: ${file} cannot be read (${code}); name a file that this user may read`,
      { cause },
    );
  }
}
