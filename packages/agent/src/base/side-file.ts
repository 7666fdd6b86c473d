import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { secureRandom } from '@conv/core/platform';

/**
 * Writes a file into the folder beside a conversation, which is made if missing. Replaces what has its name, also a link: where an executor on this machine
 * writes into the folder, its commands know the name of a text before it is written, and a link would lead this process to any file.
 */
export async function writeSideFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${Buffer.from(secureRandom(6)).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, content, { flag: 'wx' });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
