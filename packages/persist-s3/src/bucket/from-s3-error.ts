import { errorText } from '@conv/core';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { isStoreError, StoreError, type StoreErrorCode } from '@conv/core/store';
import { LostAnswer } from './lost-answer.ts';

/** Facts that an error of the SDK gives about the request that it ended. */
export interface RequestFailure {
  /** Error code for the caller of the store. */
  readonly code: StoreErrorCode;
  /** True if the same request may succeed later. */
  readonly transient: boolean;
  /** True if the request may have been executed despite the error. */
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
  // The SDK has corrected its clock by this answer.
  'RequestTimeTooSkewed',
  'SlowDown',
  'TooManyRequests',
]);
const full = new Set(['QuotaExceeded', 'ServiceQuotaExceededException', 'XMinioStorageFull']);

/** Classifies the caught error of a request. */
export function failureOf(error: unknown): RequestFailure {
  const { name, status, attempts } = signsOf(error);
  const definite = (code: StoreErrorCode): RequestFailure => {
    // This answer refuses the last attempt. An earlier attempt of the SDK may have been executed without an answer.
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

/** Returns the HTTP status and the error name of an answer, as far as there was one, and the number of the SDK's attempts. */
export function signsOf(error: unknown): { name: string; status: number | undefined; attempts: number } {
  if (!(error instanceof Error)) return { name: '', status: undefined, attempts: 1 };
  // The SDK counts its attempts in every error, such as one of missing credentials at the second attempt.
  const { $metadata } = error as Error & { readonly $metadata?: Partial<S3ServiceException['$metadata']> };
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return { name: error.name, status, attempts: $metadata?.attempts ?? 1 };
}

/** Turns the error of a request into a store error. Store errors pass through, and so does the reason of a lost answer. */
export function fromS3Error(error: unknown, subject: string): StoreError {
  if (isStoreError(error)) return error;
  if (error instanceof LostAnswer) return error.cause;
  const { name, status } = signsOf(error);
  const reason = errorText(error);
  const answer = [status, name].filter((part) => part !== undefined && part !== '' && part !== 'Error').join(' ');
  const { code } = failureOf(error);
  const remedy = code === 'DENIED' ? '; check the credentials and what they may do' : '';
  return new StoreError(code, `${subject}: ${answer === '' ? '' : `${answer}: `}${reason}${remedy}`, { cause: error });
}

/** Returns the value to throw: a store error for a request error; `TypeError` and `ReferenceError` stay. */
export function toThrow(error: unknown, subject: string): unknown {
  return error instanceof TypeError || error instanceof ReferenceError ? error : fromS3Error(error, subject);
}
