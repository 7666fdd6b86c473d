import { createHash } from 'node:crypto';
import { access, constants, readFile, realpath, stat } from 'node:fs/promises';

import { Refusal } from './refusal.ts';
import { decodeText, type DecodedText } from './text-file.ts';
import { versionOf, type FileVersion } from './write-file.ts';

/** A file that was read, with everything that writing it back needs. */
export interface OpenedFile {
  /** The real path, symbolic links followed. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly hash: string;
  readonly version: FileVersion;
}

/** Reads a regular file. Throws {@link Refusal} for folders, devices and files above `maxSize` bytes. */
export async function openFile(given: string, maxSize: number, signal: AbortSignal): Promise<OpenedFile> {
  const path = await realpath(given);
  const about = await stat(path);
  if (about.isDirectory()) throw new Refusal(`${given} is a folder; only view works on folders.`);
  if (!about.isFile()) throw new Refusal(`${given} is not a regular file.`);
  if (about.size > maxSize)
    throw new Refusal(
      `${given} has ${about.size} bytes, more than the ${maxSize} that this tool takes. Use the terminal for parts of it.`,
    );
  const version = await versionOf(path);
  const bytes = await readFile(path, { signal });
  return { path, bytes, hash: hashOf(bytes), version };
}

/** Returns the file's text. Throws {@link Refusal} for a binary file. */
export function textOf(given: string, file: OpenedFile): DecodedText {
  const decoded = decodeText(file.bytes);
  if (!decoded) throw new Refusal(`${given} is a binary file; this tool works on text.`);
  return decoded;
}

/** Rejects with the system's error if the file may not be written, because replacing it would bypass its permissions. */
export async function checkWritable(path: string): Promise<void> {
  await access(path, constants.W_OK);
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
