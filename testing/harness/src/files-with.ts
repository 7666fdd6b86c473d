import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum number of searches of a folder that changes meanwhile. */
const MOST_TRIES = 20;

/**
 * The files below a folder that hold this text, as it is or in base64. A file that goes while it is searched may stand under
 * another name by then: the search begins anew.
 */
export function filesWith(folder: string, text: string, triesLeft: number = MOST_TRIES): readonly string[] {
  const needles = [text, Buffer.from(text).toString('base64').slice(0, -4)].map((needle) => Buffer.from(needle));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  try {
    return files.filter((file) => {
      const content = readFileSync(file);
      return needles.some((needle) => content.includes(needle));
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || triesLeft === 0) throw error;
    return filesWith(folder, text, triesLeft - 1);
  }
}
