import type { StoreError } from '../errors/store-error.ts';

/** How {@link ConversationStore.check} looks. */
export interface CheckOptions {
  /** Restores what another copy holds whole, and changes nothing else. Rejects `OWNED` while another owner lives. Default: look only. */
  readonly repair?: boolean;
  /** Ends the check early: it rejects `signal.reason`. What was repaired until then stays repaired. */
  readonly signal?: AbortSignal;
  /** Told now and then how far the check has come. */
  readonly onProgress?: (progress: CheckProgress) => void;
}

/** How far a check has come in one conversation. */
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

/** What a check of one conversation came to. */
export interface CheckResult {
  /** Commits that read back whole. */
  readonly commits: number;
  /** Events that read back whole. */
  readonly events: number;
  /** Empty when everything is whole. */
  readonly findings: readonly Finding[];
}

/** What {@link checkStore} says of one conversation, or of what all share. */
export interface CheckedConversation extends CheckResult {
  /** A dashed UUID; `undefined` for what all conversations share. */
  readonly id: string | undefined;
  /** Why it could not be looked at, such as `OWNED` or `UNAVAILABLE`; `undefined` when it was. */
  readonly error: StoreError | undefined;
}
