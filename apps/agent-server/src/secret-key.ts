import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
  const temporary = await write(file, [newKey()]);
  try {
    // if two servers start at once, one generates the key and both use it
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  const made = await readKeys(file);
  if (made === undefined) throw new Error(`${file} is empty`);
  return made;
}

/**
 * Puts a generated key in front of the stored one, durably and in one step, unless that was done before: an earlier key waits until every
 * secret is encrypted anew. Resolves with the keys; `undefined` if none is stored.
 */
export async function withNewSecretKey(directory: string): Promise<KeptSecretKeys | undefined> {
  const file = secretKeyFile(directory);
  const known = await readKeys(file);
  if (known === undefined || known.older.length > 0) return known;
  const next = { secretKey: newKey(), older: [known.secretKey] };
  const temporary = await write(file, [next.secretKey, ...next.older]);
  await rename(temporary, file);
  await syncFolder(dirname(file));
  return next;
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Writes keys beside a file, durably. Resolves with the path. */
async function write(file: string, keys: readonly string[]): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${keys.join('\n')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function readKeys(file: string): Promise<KeptSecretKeys | undefined> {
  try {
    const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.trim());
    const [secretKey, ...older] = lines.filter((line) => line !== '');
    return secretKey === undefined ? undefined : { secretKey, older };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
