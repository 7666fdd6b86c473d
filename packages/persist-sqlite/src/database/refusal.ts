import type { OwnerInfo, StoreErrorCode } from '@conv/core/store';
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteDriverModule } from '../driver.ts';
import type { Failure } from '../failure.ts';
import { lockHolder } from './lock-holder.ts';

/**
 * Thrown in the database's threads for what a caller can act on. Not a `StoreError`, which would load all of core into every
 * thread; it becomes one where the caller is.
 */
export class Refusal extends Error {
  readonly code: StoreErrorCode;
  readonly owner: OwnerInfo | undefined;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions & { owner?: OwnerInfo }) {
    super(message, options);
    this.name = 'Refusal';
    this.code = code;
    this.owner = options?.owner;
  }
}

/** SQLite's primary result codes that say more than that something failed. */
const codes: ReadonlyMap<number, StoreErrorCode> = new Map([
  [3, 'DENIED'],
  [8, 'DENIED'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [18, 'TOO_LARGE'],
  [23, 'DENIED'],
  [26, 'CORRUPT'],
]);

const BUSY = 5;
const CANTOPEN = 14;
const IOERR_CORRUPTFS = 10 | (33 << 8);
/** A stored row has a value of a type that its column does not take. */
const CONSTRAINT_DATATYPE = 19 | (12 << 8);

/** What an error of SQLite means to a caller; `undefined` for an error that does not come from SQLite. */
export function storeCodeOf(
  error: unknown,
  driver: Pick<SqliteDriverModule, 'resultCode'>,
  file: string,
): StoreErrorCode | undefined {
  const code = driver.resultCode(error);
  if (code === undefined) return undefined;
  if (code === IOERR_CORRUPTFS || code === CONSTRAINT_DATATYPE) return 'CORRUPT';
  if ((code & 0xff) === CANTOPEN) return isForbidden(file) ? 'DENIED' : 'UNAVAILABLE';
  return codes.get(code & 0xff) ?? 'UNAVAILABLE';
}

/** Whether another connection holds the lock that was waited for. */
export function isBusy(error: unknown, driver: Pick<SqliteDriverModule, 'resultCode'>): boolean {
  return ((driver.resultCode(error) ?? 0) & 0xff) === BUSY;
}

/** What is told of an error thrown in a thread. Errors that are neither refusals nor SQLite's are faults of this package. */
export function failureOf(error: unknown, driver: Pick<SqliteDriverModule, 'resultCode'>, file: string): Failure {
  if (error instanceof Refusal) {
    const { code, message, owner, cause } = error;
    return { code, message, owner, cause: plain(cause) };
  }
  const holder = isBusy(error, driver) ? lockHolder(file) : '';
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: storeCodeOf(error, driver, file) ?? codeOfFileError(error) ?? 'UNAVAILABLE',
    message: `database ${file}: ${reason}${holder && `; ${holder}`}`,
    cause: plain(error),
    resultCode: driver.resultCode(error),
  };
}

/** What an error of Node's `fs` means to a caller: the file and its folder are made before SQLite sees them. */
function codeOfFileError(error: unknown): StoreErrorCode | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'DENIED';
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'FULL' : undefined;
}

/** An error as one that any thread can be sent. */
function plain(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  const { message, name, stack } = error;
  return Object.assign(new Error(message), { name, stack });
}

/** SQLite does not say why it could not open a file; its folder does. */
function isForbidden(file: string): boolean {
  try {
    accessSync(dirname(file), constants.R_OK | constants.W_OK);
    accessSync(file, constants.R_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EROFS');
  }
}
