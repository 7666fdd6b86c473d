import { errorText } from '@conv/core';
import { isStoreError, StoreError, type StoreErrorCode } from '@conv/core/store';

const codes: Readonly<Record<string, StoreErrorCode>> = {
  EACCES: 'DENIED',
  EPERM: 'DENIED',
  EROFS: 'DENIED',
  ENOSPC: 'FULL',
  EDQUOT: 'FULL',
  EFBIG: 'FULL',
};

const remedies: Partial<Readonly<Record<StoreErrorCode, string>>> = {
  DENIED: '; check the permissions there',
  FULL: '; make room, and try again',
};

/** Node's code of a file system error, such as `ENOENT`; `undefined` for anything else. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns the store error for an error of a file system call: no permission and read-only places are `DENIED`, no space
 * is `FULL`, everything else, also a file that is missing where one must be, is `UNAVAILABLE`. Store errors are handed
 * through.
 */
export function fromFsError(error: unknown, subject: string): StoreError {
  if (isStoreError(error)) return error;
  const code = errorCode(error);
  const own = codes[code ?? ''] ?? 'UNAVAILABLE';
  const remedy = code === 'ENOTDIR' ? '; a part of this path is a file: name a folder' : (remedies[own] ?? '');
  return new StoreError(own, `${subject}: ${errorText(error)}${remedy}`, { cause: error });
}

/** Makes the `FULL` error for a write of which the disk took only a part. `subject`: what was written, if it is known. */
export function noSpace(subject?: string): StoreError {
  const text = 'no space is left on the disk; free some, and try again';
  return new StoreError('FULL', subject === undefined ? text : `${subject}: ${text}`);
}

/** Returns the error to throw: a store error for an error of the file system, any other error as it is. */
export function toThrow(error: unknown, subject: string): unknown {
  return errorCode(error) === undefined ? error : fromFsError(error, subject);
}

/** Runs `action`. Returns `undefined` if the file system says that the path is not there. */
export function ifThere<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Returns true if an error says that a path is not there. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
