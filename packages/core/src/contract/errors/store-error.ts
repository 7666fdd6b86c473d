import { CodedError, markErrors } from '../../platform/coded-error.ts';

/**
 * Codes of the errors of a store.
 *
 * | code | when | what is true afterwards |
 * | --- | --- | --- |
 * | `NOT_FOUND` | no conversation has this id | nothing was made |
 * | `EXISTS` | the conversation was to be created and exists already | nothing changed |
 * | `INVALID_ID` | the id is not a UUID (dashed, or 32 hex digits) | nothing was touched |
 * | `OWNED` | another live process owns the conversation; see `owner` | it can be read |
 * | `FENCED` | another process took the conversation over | this journal accepts no more appends; acknowledged commits stay |
 * | `CORRUPT` | stored data is damaged beyond what can be read around | nothing was changed |
 * | `DENIED` | no permission, or a read-only place | nothing changed |
 * | `FULL` | no space is left | the commit is not stored; the journal continues when there is space |
 * | `UNAVAILABLE` | the backend does not answer or failed | the commit is not stored; a retry may succeed |
 * | `OUTCOME_UNKNOWN` | the answer to a write was lost and could not be settled | the commit may be stored |
 * | `UNSUPPORTED` | the backend cannot keep the promises of a store; a network mount is an example | nothing was touched |
 * | `TOO_LARGE` | the commit is larger than the store takes | the commit is not stored |
 * | `CLOSED` | the store or journal is closed | nothing happened |
 *
 * Codes are part of the contract, messages are not.
 */
export type StoreErrorCode =
  | 'NOT_FOUND'
  | 'EXISTS'
  | 'INVALID_ID'
  | 'OWNED'
  | 'FENCED'
  | 'CORRUPT'
  | 'DENIED'
  | 'FULL'
  | 'UNAVAILABLE'
  | 'OUTCOME_UNKNOWN'
  | 'UNSUPPORTED'
  | 'TOO_LARGE'
  | 'CLOSED';

/** The owner of a conversation, as the error `OWNED` reports it. */
export interface OwnerInfo {
  /** The name that the owner gave in `open`. */
  readonly owner: string;
  /** The owner's epoch. */
  readonly epoch: number;
  /**
   * The time when another process may take over unless the owner renews, in epoch milliseconds; `undefined` while the owner is
   * known to live.
   */
  readonly until?: number;
}

/** Rejected by stores, journals and readers. */
export class StoreError extends CodedError<StoreErrorCode> {
  /** The owner; set with `OWNED`. */
  readonly owner: OwnerInfo | undefined;

  constructor(code: StoreErrorCode, text: string, options?: ErrorOptions & { owner?: OwnerInfo }) {
    super(code, text, options);
    this.name = 'StoreError';
    this.owner = options?.owner;
  }
}

/** True if `value` is a {@link StoreError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isStoreError: (value: unknown, code?: StoreErrorCode) => value is StoreError = markErrors(
  StoreError,
  'conv.store.error',
);
