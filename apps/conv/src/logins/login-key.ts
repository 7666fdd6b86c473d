import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of logins is readable by its user alone, and so is the key in it. */
const [FOLDER_MODE, FILE_MODE] = [0o700, 0o600];

/**
 * Resolves with the key that encrypts logins. The first call makes it, whole or not at all, in the file `secret.key`; processes that start at the same time
 * get the same key. It protects logins that are copied without the key; a copy of the whole folder holds both.
 */
export async function loginKey(folder: string): Promise<string> {
  const file = join(folder, 'secret.key');
  const known = await keyIn(file);
  if (known !== undefined) return known;
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const made = `${file}.${randomUUID()}`;
  try {
    await writeDurably(made, `${randomBytes(32).toString('base64url')}\n`);
    // unlike a renaming, a link does not replace the key of another process
    await link(made, file).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(made, { force: true });
  }
  const key = await keyIn(file);
  if (key === undefined) throw new Error(`expected a key in ${file}, found an empty file; remove it and log in again`);
  return key;
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function keyIn(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
