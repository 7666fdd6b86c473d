import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { changePrivateFile } from '@conv/server/records';

/** The keys of a server that was given none. */
export interface KeptSecretKeys {
  readonly secretKey: string;
  /** Earlier keys, which only decrypt. */
  readonly older: readonly string[];
}

/** Returns the file of these keys: the newest in its first line, earlier ones behind it. */
export function secretKeyFile(directory: string): string {
  return join(directory, 'secret.key');
}

/**
 * Returns the keys of a server without a given key. The first is generated once and stored beside the settings, readable only by the owner
 * of the process. It protects secrets in files that are copied or backed up one by one; a copy of the whole folder holds both.
 */
export async function keptSecretKeys(directory: string): Promise<KeptSecretKeys> {
  const file = secretKeyFile(directory);
  const known = await readKeys(file);
  if (known !== undefined) return known;
  // if two servers start at once, one generates the key and both use it
  await changePrivateFile(file, (text) => (keysIn(text) === undefined ? linesOf([newKey()]) : undefined));
  const made = await readKeys(file);
  if (made === undefined) throw new Error(`${file} is empty`);
  return made;
}

/**
 * Puts a generated key in front of the stored one, durably and in one step, unless that was done before: an earlier key waits until every
 * secret is encrypted anew. Resolves with the keys in the file; `undefined` if none is stored.
 */
export async function withNewSecretKey(directory: string): Promise<KeptSecretKeys | undefined> {
  const file = secretKeyFile(directory);
  await changePrivateFile(file, (text) => {
    const known = keysIn(text);
    return known === undefined || known.older.length > 0 ? undefined : linesOf([newKey(), known.secretKey]);
  });
  // a rotation that ran at the same time may have been first, so only its key counts
  return readKeys(file);
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

function linesOf(keys: readonly string[]): string {
  return `${keys.join('\n')}\n`;
}

function keysIn(text = ''): KeptSecretKeys | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const [secretKey, ...older] = lines.filter((line) => line !== '');
  return secretKey === undefined ? undefined : { secretKey, older };
}

async function readKeys(file: string): Promise<KeptSecretKeys | undefined> {
  try {
    return keysIn(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
