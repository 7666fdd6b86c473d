import type { OwnerInfo, StoreErrorCode } from '@conv/core/store';
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteDriverModule } from '../driver.ts';
import type { Failure } from '../failure.ts';
import { lockHolder } from './lock-holder.ts';

/** Error of a database thread that a caller can act on. Not a `StoreError`, which would load all of core into every thread. */
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

/** Returns the `NOT_FOUND` error for a conversation that the database does not hold. */
export function notInStore(id: string): Refusal {
  return new Refusal('NOT_FOUND', `conversation ${id} is not in this store; check the id, or list the conversations`);
}

/** Returns the `EXISTS` error for an id that is taken, in the words of `existsAlready` of the store kit. */
export function existsAlready(id: string): Refusal {
  return new Refusal('EXISTS', `conversation ${id} exists already; open it, or choose another id`);
}

/** Returns the `UNAVAILABLE` error for a database whose file has lost its name. */
export function replaced(file: string): Refusal {
  return new Refusal('UNAVAILABLE', `database ${file} was removed or replaced by another file; open the store again`);
}

/** Codes for SQLite's primary result codes that tell more than a failure. */
const codes: ReadonlyMap<number, StoreErrorCode> = new Map([
  [3, 'DENIED'],
  [8, 'DENIED'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [18, 'TOO_LARGE'],
  [23, 'DENIED'],
  [26, 'CORRUPT'],
]);

const remedies: Partial<Readonly<Record<StoreErrorCode, string>>> = {
  CORRUPT: '; restore a backup, or name another file',
  DENIED: '; check the permissions of the file and its folder',
  FULL: '; make room, and try again',
};

const BUSY = 5;
const CANTOPEN = 14;
const IOERR_CORRUPTFS = 10 | (33 << 8);
/** A stored row has a value of a type that its column refuses. */
const CONSTRAINT_DATATYPE = 19 | (12 << 8);

/** Returns the error code for an error of SQLite; `undefined` for an error that does not come from SQLite. */
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

/** Runs `action`. Returns `undefined` if SQLite finds that what it reads is damaged. */
export function ifReadable<Value>(
  { driver, file }: { readonly driver: Pick<SqliteDriverModule, 'resultCode'>; readonly file: string },
  action: () => Value,
): Value | undefined {
  try {
    return action();
  } catch (error) {
    if (storeCodeOf(error, driver, file) !== 'CORRUPT') throw error;
    return undefined;
  }
}

/** True if another connection holds the lock that was waited for. */
export function isBusy(error: unknown, driver: Pick<SqliteDriverModule, 'resultCode'>): boolean {
  return ((driver.resultCode(error) ?? 0) & 0xff) === BUSY;
}

/**
 * Describes an error thrown in a thread for the caller's thread. Errors that come neither from a refusal nor from SQLite are
 * faults of this package, except those of `fs`.
 */
export function failureOf(error: unknown, driver: Pick<SqliteDriverModule, 'resultCode'>, file: string): Failure {
  if (error instanceof Refusal) {
    const { code, message, owner, cause } = error;
    return { code, message, owner, cause: plain(cause) };
  }
  const holder = isBusy(error, driver) ? lockHolder(file) : '';
  const reason = error instanceof Error ? error.message : String(error);
  const code = storeCodeOf(error, driver, file) ?? codeOfFileError(error) ?? 'UNAVAILABLE';
  return {
    code,
    message: `database ${file}: ${reason}${holder && `; ${holder}`}${remedies[code] ?? ''}`,
    cause: plain(error),
    resultCode: driver.resultCode(error),
  };
}

/** Returns the error code for an error of Node's `fs`: this package makes the file and its folder before SQLite opens them. */
function codeOfFileError(error: unknown): StoreErrorCode | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'DENIED';
  return code === 'ENOSPC' || code === 'EDQUOT' ? 'FULL' : undefined;
}

/** Copies an error into a plain one, which can be sent to any thread. */
function plain(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  const { message, name, stack } = error;
  return Object.assign(new Error(message), { name, stack });
}

/** True if permissions forbid the file. SQLite does not tell why it could not open it; its folder does. */
function isForbidden(file: string): boolean {
  try {
    accessSync(dirname(file), constants.R_OK | constants.W_OK);
    accessSync(file, constants.R_OK);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EROFS');
  }
}
