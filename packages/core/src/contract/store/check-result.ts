import type { StoreError } from '../errors/store-error.ts';

/** Options of {@link ConversationStore.check}. */
export interface CheckOptions {
  /** Restores what another copy holds whole, and changes nothing else. Rejects `OWNED` while another owner lives. Default: look only. */
  readonly repair?: boolean;
  /** Ends the check early: it rejects `signal.reason`. What was repaired until then stays repaired. */
  readonly signal?: AbortSignal;
  /** Told now and then how far the check has come. */
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** Progress of a check in one conversation. */
export interface CheckProgress {
  /** Commits that were read. */
  readonly done: number;
  /** Commits that the log has, damaged ones included. */
  readonly of: number;
}

/** One thing that a check found wrong. */
export interface Finding {
  /** The kind of record: `log`, `index`, `snapshot`, `event file`, `summary`, … */
  readonly part: string;
  /**
   * `lost`: something acknowledged cannot be read from anywhere. `damaged`: a record is wrong and another copy holds what it said.
   * `stale`: a record that is made from others does not say what they say.
   */
  readonly severity: 'lost' | 'damaged' | 'stale';
  /** For people: where it is and what is wrong. */
  readonly message: string;
  /** True if this check has put it right. */
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

/** The result of {@link checkStore} for one conversation, or for the data that all of them share. */
export interface CheckedConversation extends CheckResult {
  /** A dashed UUID; `undefined` for what all conversations share. */
  readonly id: string | undefined;
  /** The error that prevented the check, such as `OWNED` or `UNAVAILABLE`; `undefined` without one. */
  readonly error: StoreError | undefined;
}
