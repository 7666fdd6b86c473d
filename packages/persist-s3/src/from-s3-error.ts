import { S3ServiceException } from '@aws-sdk/client-s3';
import { isStoreError, StoreError, type StoreErrorCode } from '@conv/core/store';

/** What an error of the SDK says about the request that it ended. */
export interface RequestFailure {
  /** What it means for the caller of the store. */
  readonly code: StoreErrorCode;
  /** The same request may succeed later. */
  readonly transient: boolean;
  /** The request may have been carried out all the same. */
  readonly mayHaveHappened: boolean;
}

const denied = new Set([
  'AccessDenied',
  'AccountProblem',
  'AllAccessDisabled',
  'CredentialsProviderError',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
]);
const passing = new Set([
  'ConditionalRequestConflict',
  'OperationAborted',
  'RequestTimeout',
  // The SDK has set its clock by the answer.
  'RequestTimeTooSkewed',
  'SlowDown',
  'TooManyRequests',
]);
const full = new Set(['QuotaExceeded', 'ServiceQuotaExceededException', 'XMinioStorageFull']);

/** What the caught error of a request says. */
export function failureOf(error: unknown): RequestFailure {
  const { name, status, attempts } = signsOf(error);
  const definite = (code: StoreErrorCode): RequestFailure => {
    // The SDK may have sent the request before, and lost that answer.
    return { code, transient: false, mayHaveHappened: attempts > 1 };
  };
  if (passing.has(name) || status === 429) {
    return { code: 'UNAVAILABLE', transient: true, mayHaveHappened: name === 'RequestTimeout' || attempts > 1 };
  }
  if (denied.has(name) || status === 401 || status === 403) return definite('DENIED');
  if (full.has(name) || status === 507) return definite('FULL');
  if (name === 'EntityTooLarge' || status === 413) return definite('TOO_LARGE');
  if (name === 'NotImplemented' || status === 501) return definite('UNSUPPORTED');
  if (status !== undefined && status < 500) return definite('UNAVAILABLE');
  return { code: 'UNAVAILABLE', transient: true, mayHaveHappened: true };
}

/** The status of the answer and the code in it, as far as there was one. */
export function signsOf(error: unknown): { name: string; status: number | undefined; attempts: number } {
  const name = error instanceof Error ? error.name : '';
  if (!(error instanceof S3ServiceException)) return { name, status: undefined, attempts: 1 };
  return { name, status: error.$metadata.httpStatusCode, attempts: error.$metadata.attempts ?? 1 };
}

/** A store error for what a request ended with. Store errors are handed through. */
export function fromS3Error(error: unknown, subject: string): StoreError {
  if (isStoreError(error)) return error;
  const { name, status } = signsOf(error);
  const reason = error instanceof Error ? error.message : String(error);
  const answer = [status, name].filter((part) => part !== undefined && part !== '' && part !== 'Error').join(' ');
  return new StoreError(failureOf(error).code, `${subject}: ${answer === '' ? '' : `${answer}: `}${reason}`, {
    cause: error,
  });
}

/** What to throw for something caught: errors of requests as store errors, mistakes of the program as they are. */
export function toThrow(error: unknown, subject: string): unknown {
  return error instanceof TypeError || error instanceof ReferenceError ? error : fromS3Error(error, subject);
}
