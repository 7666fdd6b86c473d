import { errorText } from '@conv/core';
import { isStoreError, StoreError, type StoreErrorCode } from '@conv/core/store';

/**
 * Error codes by SQLSTATE, or by its class of two characters; the full state decides first. See
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const codes: Readonly<Record<string, StoreErrorCode>> = {
  '0A': 'UNSUPPORTED',
  '25006': 'DENIED',
  '28': 'DENIED',
  '3D000': 'DENIED',
  '3F000': 'UNSUPPORTED',
  '42': 'UNSUPPORTED',
  '42501': 'DENIED',
  '53100': 'FULL',
  '53400': 'FULL',
  '54': 'TOO_LARGE',
  XX001: 'CORRUPT',
  XX002: 'CORRUPT',
};

/** Error classes and errors after which the transaction was rolled back for certain. */
const rolledBack: readonly string[] = [
  '0A',
  '21',
  '22',
  '23',
  '25',
  '28',
  '3D',
  '3F',
  '40',
  '42',
  '53',
  '54',
  '55',
  'P0',
  'XX001',
  'XX002',
];

/** Codes of Node for an address at which nothing answers. */
const NOT_THERE: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT']);

/** Exception of its class: `statement_completion_unknown`, as a proxy of a cluster answers when its server has gone away. */
const COMPLETION_UNKNOWN = '40003';

/** Failure of a statement, which tells whether the statement may have been executed. */
export class DatabaseFailure extends Error {
  readonly error: StoreError;
  /** True if the answer is missing, or does not prove that nothing was changed. */
  readonly unknown: boolean;

  constructor(error: StoreError, unknown: boolean) {
    super(error.message, { cause: error });
    this.name = 'DatabaseFailure';
    this.error = error;
    this.unknown = unknown;
  }

  /** True if another attempt may succeed. */
  get passing(): boolean {
    return this.error.code === 'UNAVAILABLE';
  }
}

/** Turns an error of `pg` into the failure of a statement that was sent. */
export function toFailure(error: unknown, subject: string): DatabaseFailure {
  if (error instanceof DatabaseFailure) return error;
  if (isStoreError(error)) return new DatabaseFailure(error, false);
  const state = sqlState(error);
  const isKnown = state !== undefined && state !== COMPLETION_UNKNOWN;
  const unknown = !isKnown || !rolledBack.some((known) => state.startsWith(known));
  return new DatabaseFailure(fromPostgresError(error, subject), unknown);
}

/** Turns an error of `pg` into a store error. Store errors pass through. */
export function fromPostgresError(error: unknown, subject: string): StoreError {
  if (isStoreError(error)) return error;
  const code = codeOf(error);
  return new StoreError(code, `${subject}: ${errorText(error)}${remedyOf(code, error)}`, { cause: error });
}

function remedyOf(code: StoreErrorCode, error: unknown): string {
  if (code === 'DENIED') return '; check the credentials and what they may do';
  const isAway = error instanceof Error && 'code' in error && NOT_THERE.has(String(error.code));
  return isAway ? '; check that PostgreSQL runs at this address' : '';
}

function codeOf(error: unknown): StoreErrorCode {
  const state = sqlState(error);
  if (state !== undefined) return codes[state] ?? codes[state.slice(0, 2)] ?? 'UNAVAILABLE';
  // Only the text tells that the server wants a password that is missing, or cannot prove that it knows the password.
  if (error instanceof Error && error.message.startsWith('SASL')) return 'DENIED';
  return 'UNAVAILABLE';
}

function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && 'severity' in error && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
