import { StoreError, type OwnerInfo, type StoreErrorCode } from '@conv/core/store';

/** Reason of a failure in a form that threads can exchange: errors lose their class and members on the way. */
export interface Failure {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly owner?: OwnerInfo | undefined;
  readonly cause?: unknown;
  /** Result code of SQLite, which is set on the cause. */
  readonly resultCode?: number | undefined;
}

/** Makes the store error for a failure of another thread. */
export function toStoreError({ code, message, owner, cause, resultCode }: Failure): StoreError {
  if (cause instanceof Error && resultCode !== undefined) Object.assign(cause, { resultCode });
  return new StoreError(code, message, { ...(cause === undefined ? {} : { cause }), ...(owner ? { owner } : {}) });
}
