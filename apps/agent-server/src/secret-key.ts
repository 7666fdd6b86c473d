import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Returns the key of a server without a given key. It is generated once and stored beside the settings, readable only by the owner
 * of the process. It protects secrets in files that are copied or backed up one by one; a copy of the whole folder holds both.
 */
export async function keptSecretKey(directory: string): Promise<string> {
  const file = join(directory, 'secret.key');
  const known = await readKey(file);
  if (known !== undefined) return known;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  await writeFile(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // if two servers start at once, one generates the key and both use it
    await link(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  const made = await readKey(file);
  if (made === undefined) throw new Error(`${file} is empty`);
  return made;
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    return key === '' ? undefined : key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
