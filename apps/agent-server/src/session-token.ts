import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { errorText } from '@conv/core';
import { keyDigests, type KeyDigests } from '@conv/server/access';
import { z } from 'zod';

/** The token of a server that was given no key. */
export interface SessionToken {
  readonly digests: KeyDigests;
  /** The token itself; `undefined` when it was made before. */
  readonly made: string | undefined;
}

const digest = z.string().regex(/^[\da-f]{64}$/);
const digestsSchema = z.strictObject({ key: digest, session: digest, workspace: digest });

/** Resolves with the token of a server with this settings folder, which is made if missing. Rejects for a damaged file. */
export async function sessionToken(settingsFolder: string): Promise<SessionToken> {
  const digests = await readDigests(fileIn(settingsFolder));
  return digests ? { digests, made: undefined } : makeSessionToken(settingsFolder);
}

/**
 * Makes a token of 256 random bits and stores its digests, readable only by the owner of the process. The earlier token is void
 * after the next start.
 */
export async function makeSessionToken(settingsFolder: string): Promise<SessionToken & { readonly made: string }> {
  const made = randomBytes(32).toString('base64url');
  const digests = keyDigests(made);
  const file = fileIn(settingsFolder);
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(settingsFolder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, `${JSON.stringify(digests)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
  return { digests, made };
}

function fileIn(settingsFolder: string): string {
  return join(settingsFolder, 'token.json');
}

async function readDigests(file: string): Promise<KeyDigests | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`the file of the token, ${file}, cannot be read: ${errorText(error)}; let this user read it`, {
      cause: error,
    });
  }
  try {
    return digestsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${file} is damaged; run \`npm run server -- token\` to make a new token`, { cause });
  }
}
