import { StoreError, type OwnerInfo, type StoreErrorCode } from '@conv/core/store';

/** Why something failed, as it travels between threads: errors lose their class and members on the way. */
export interface Failure {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly owner?: OwnerInfo | undefined;
  readonly cause?: unknown;
  /** SQLite's result code, kept on the cause. */
  readonly resultCode?: number | undefined;
}

/** The store error that a failure of another thread stands for. */
export function toStoreError({ code, message, owner, cause, resultCode }: Failure): StoreError {
  if (cause instanceof Error && resultCode !== undefined) Object.assign(cause, { resultCode });
  return new StoreError(code, message, { ...(cause === undefined ? {} : { cause }), ...(owner ? { owner } : {}) });
}
