import { createHash, createHmac } from 'node:crypto';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

import { ConversationError } from '@conv/core';
import { secureRandom } from '@conv/core/platform';

/**
 * Returns the key of the server in a container. The number is new for each container and stands in its labels; without the secret
 * the key cannot be computed from it.
 */
export function serverKey(secret: Uint8Array, number: string): string {
  return createHmac('sha256', secret).update(`conv container ${number}`).digest('base64url');
}

/** Returns the key by which OpenHands' server encrypts what it stores in the volume of a container with this name. */
export function storageKey(secret: Uint8Array, name: string): string {
  return createHmac('sha256', secret).update(`conv volume ${name}`).digest('base64url');
}

/**
 * Returns the digests by which the server knows its key: of the key and of its two cookies. They need not be hidden, because the key
 * is long and random. `keyDigests` of `@conv/server` computes the same.
 */
export function digestsOf(key: string): string {
  const cookie = (purpose: string): string =>
    createHmac('sha256', key).update(`conv ${purpose} cookie`).digest('base64url');
  return [key, cookie('session'), cookie('workspace')]
    .map((text) => createHash('sha256').update(text).digest('hex'))
    .join('.');
}

/** Returns the default place of the secret of this user. */
export function defaultKeyFile(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'conv/container.key');
}

/** Resolves with the secret in a file, which is made if missing. Rejects `DENIED` for a file that others can read. */
export async function keptSecret(file: string): Promise<Uint8Array> {
  try {
    return await readSecret(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const temporary = `${file}.${Buffer.from(secureRandom(6)).toString('hex')}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, secureRandom(32), { mode: 0o600, flag: 'wx', flush: true });
    // unlike a rename, a link does not replace the secret that another process made at the same time
    await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  return readSecret(file);
}

async function readSecret(file: string): Promise<Uint8Array> {
  const opened = await open(file);
  try {
    const { mode } = await opened.stat();
    if ((mode & 0o077) !== 0)
      throw new ConversationError(
        'DENIED',
        `expected a file that only its owner can read, found ${file} open to others; run chmod 600, and remove containers whose keys may be known`,
      );
    const secret = await opened.readFile();
    if (secret.length < 32)
      throw new ConversationError('DENIED', `expected 32 random bytes in ${file}, found ${secret.length}; remove it`);
    return secret;
  } finally {
    await opened.close();
  }
}
