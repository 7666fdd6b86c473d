import { createHash } from 'node:crypto';
import { access, constants, lstat, open } from 'node:fs/promises';

import type { Place } from './places.ts';
import { Refusal } from './refusal.ts';
import { decodeText, type DecodedText } from './text-file.ts';
import { ChangedMeanwhile, hasCode, versionOf, type FileVersion } from './write-file.ts';

/** A file that was read, with everything that writing it back needs. */
export interface OpenedFile {
  /** The path to act on. */
  readonly path: string;
  /** The real path, symbolic links followed. */
  readonly realPath: string;
  readonly bytes: Buffer;
  readonly hash: string;
  readonly version: FileVersion;
}

/** Reads a regular file. Throws {@link Refusal} for folders, devices and files above `maxSize` bytes. */
export async function openFile(
  given: string,
  { path, realPath }: Place,
  maxSize: number,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const about = await lstat(path);
  if (about.isDirectory()) throw new Refusal(`${given} is a folder; only view works on folders.`);
  if (!about.isFile()) throw new Refusal(`${given} is not a regular file.`);
  // another program may have put a link or a pipe there since
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw hasCode(cause, 'ELOOP') ? new ChangedMeanwhile(given, { cause }) : cause;
    },
  );
  const now = await file.stat({ bigint: true });
  if (!now.isFile()) throw new ChangedMeanwhile(given);
  if (now.size > maxSize)
    throw new Refusal(
      `${given} has ${now.size} bytes, more than the ${maxSize} that this tool takes. Use the terminal for parts of it.`,
    );
  const bytes = await file.readFile({ signal });
  return { path, realPath, bytes, hash: hashOf(bytes), version: versionOf(now) };
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
