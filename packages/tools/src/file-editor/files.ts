import { createHash } from 'node:crypto';

/** A regular file that was read. It can be acted on until it is disposed of. */
export interface OpenedFile extends AsyncDisposable {
  /** The real path, symbolic links followed, which is the same for all names of the file. */
  readonly realPath: string;
  readonly bytes: Buffer;
  readonly hash: string;
  /** Replaces the content. Rejects with {@link ChangedMeanwhile} for a file that is not as it was read, with an abort before it is written. */
  replace(bytes: Buffer, signal: AbortSignal): Promise<void>;
  /** Removes the file. */
  remove(signal: AbortSignal): Promise<void>;
}

/** Names of the entries of a folder. */
export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** An entry of a folder, and what it leads to if it is a symbolic link that may be followed. */
export interface DescribedEntry extends FolderEntry {
  /** True for a folder and for a symbolic link to one. */
  readonly leadsToFolder: boolean;
  /** True for a regular file and for a symbolic link to one. */
  readonly leadsToFile: boolean;
  /** Bytes. */
  readonly size: number;
  /** The time of the last change in milliseconds, with fractions. */
  readonly modified: number;
}

/**
 * The files that an editor reaches, by the paths that the model writes. Methods reject with a {@link Refusal}, with
 * {@link ChangedMeanwhile}, or with an error that has a code of the file system.
 */
export interface Files {
  /** Reads a file, symbolic links followed; `undefined` for a folder. Refuses devices and files above `maxSize` bytes. */
  open(
    path: string,
    options: { readonly access: 'read' | 'write'; readonly maxSize: number; readonly signal: AbortSignal },
  ): Promise<OpenedFile | undefined>;
  /** Writes a new file, and makes its folders. Refuses a name that is taken. Resolves with the real path. */
  create(path: string, bytes: Buffer, signal: AbortSignal): Promise<string>;
  /** Lists a folder. */
  list(path: string, signal: AbortSignal): Promise<readonly FolderEntry[]>;
  /** Lists a folder with sizes and times. Entries that are gone, or that lead nowhere, are left out. */
  describe(path: string, signal: AbortSignal): Promise<readonly DescribedEntry[]>;
  /** True if the name is taken. */
  isTaken(path: string): Promise<boolean>;
}

/** Thrown when the file changed between reading and writing. Nothing was written. */
export class ChangedMeanwhile extends Error {}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
