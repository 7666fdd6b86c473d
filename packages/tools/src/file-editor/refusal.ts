import { hasCode } from './write-file.ts';

/** Thrown inside the file editor when a call cannot be done. The message is for the model, and nothing was changed. */
export class Refusal extends Error {}

const TABLE_FULL = ['EMFILE', 'ENFILE'];

const SAID: readonly (readonly [readonly string[], string])[] = [
  [['ENOENT'], 'does not exist'],
  [['EACCES', 'EPERM'], 'cannot be used: permission denied'],
  [['EROFS'], 'cannot be changed: the file system is read-only'],
  [['EISDIR'], 'is a folder'],
  [['ENOTDIR'], 'lies below something that is not a folder'],
  [['EEXIST'], 'exists already'],
  [['ENOSPC', 'EDQUOT'], 'cannot be written: the disk is full'],
  [['ELOOP'], 'is a symbolic link that leads to itself'],
  [['ENAMETOOLONG'], 'has a name that is too long'],
  [['EBUSY', 'ETXTBSY'], 'is in use by another program'],
  [TABLE_FULL, 'cannot be opened: too many files are open'],
];

/**
 * Describes an error of the file system in words for the model; `undefined` for errors that do not concern the file.
 */
export function describeSystemError(path: string, error: unknown): string | undefined {
  for (const [codes, said] of SAID) if (hasCode(error, ...codes)) return `${path} ${said}.`;
  return undefined;
}

/** True if too many files are open to open another one, which says nothing about that file. */
export function isTableFull(error: unknown): boolean {
  return hasCode(error, ...TABLE_FULL);
}
