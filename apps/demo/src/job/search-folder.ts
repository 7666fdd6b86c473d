import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files below a folder that hold this text, as it is or in base64. */
export function filesWith(folder: string, text: string): readonly string[] {
  const needles = [text, Buffer.from(text).toString('base64').slice(0, -4)].map((needle) => Buffer.from(needle));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => {
      const content = readFileSync(file);
      return needles.some((needle) => content.includes(needle));
    });
}
