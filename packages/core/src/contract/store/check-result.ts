import type { StoreError } from '../errors/store-error.ts';

/** Options of {@link ConversationStore.check}. */
export interface CheckOptions {
  /**
   * Restores records that have an intact copy, and records in the log which commits are lost, as opening a conversation does.
   * Changes nothing else. Rejects `OWNED` while another owner lives. Default: only checks.
   */
  readonly repair?: boolean;
  /** Ends the check early: it rejects `signal.reason`. Repairs made until then stay. */
  readonly signal?: AbortSignal;
  /** Called now and then with the progress: commits that were read, of the commits of the log, damaged commits included. */
  readonly onProgress?: (progress: { readonly done: number; readonly of: number }) => void;
}

/** An error that a check found. */
export interface Finding {
  /** The kind of record: `log`, `index`, `snapshot`, `event file`, `summary`, … */
  readonly part: string;
  /**
   * `lost`: acknowledged data cannot be read from anywhere. `damaged`: a record is wrong and another copy holds its content.
   * `stale`: a derived record does not match the records that it is derived from. `known`: acknowledged data cannot be read
   * from anywhere, and the log itself records the loss, so no reader takes the conversation for whole. There is nothing to do.
   */
  readonly severity: 'lost' | 'damaged' | 'stale' | 'known';
  /** A description for people: the place and the error. */
  readonly message: string;
  /** True if this check has repaired it. */
  readonly repaired: boolean;
}

/** The result of a check of one conversation. */
export interface CheckResult {
  /** Commits that read back whole. */
  readonly commits: number;
  /** Events that read back whole. */
  readonly events: number;
  /** Empty when everything is whole. */
  readonly findings: readonly Finding[];
}

/** The result of `checkStore` for one conversation, or for the data that all of them share. */
export interface CheckedConversation extends CheckResult {
  /** A dashed UUID; `undefined` for the data that all conversations share. */
  readonly id: string | undefined;
  /** The error that prevented the check, such as `UNAVAILABLE`, or the repair of the findings (`OWNED`); `undefined` without one. */
  readonly error: StoreError | undefined;
}
