import { isoNow, type Platform } from '@conv/core/platform';
import type { SummaryColumns } from '@conv/store-kit';

/**
 * Milliseconds by which the time of change in lists may be behind while a conversation is written. Two indexes have it, so writing it
 * changes as many pages as the commit itself.
 */
const TOUCH_INTERVAL = 1000;

/** The columns of a conversation's row that follow from its state after a commit. */
export interface RowState {
  readonly summary: SummaryColumns;
  /** Settings, as JSON. */
  readonly settings: string;
}

/** The columns that commits change, and the time of the change. */
export interface RowChange {
  readonly isSummaryNew: boolean;
  readonly areSettingsNew: boolean;
  readonly time: string;
  /** True if the time must be written with the commits. */
  readonly isTimeDue: boolean;
}

/**
 * Knows what the row of a conversation has, so that an append writes changes alone. Only the owner of a conversation
 * writes its row, by any of its connections.
 */
export class RowChanges {
  readonly #platform: Platform;
  #summary: string | undefined;
  #settings: string | undefined;
  /** When the time of change was written last, on the monotonic clock. */
  #timeWritten = -Infinity;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Returns the changes by a group of commits, of which some may be refused: so each commit has what one of them changes. */
  by(states: readonly RowState[]): RowChange {
    return {
      isSummaryNew: states.some(({ summary }) => JSON.stringify(summary) !== this.#summary),
      areSettingsNew: states.some(({ settings }) => settings !== this.#settings),
      time: isoNow(this.#platform),
      isTimeDue: this.#platform.monotonic() - this.#timeWritten >= TOUCH_INTERVAL,
    };
  }

  /** Learns that a whole group is stored, with the state after its last commit. */
  stored({ isTimeDue }: RowChange, { summary, settings }: RowState): void {
    this.#summary = JSON.stringify(summary);
    this.#settings = settings;
    if (isTimeDue) this.#timeWritten = this.#platform.monotonic();
  }

  /** Forgets what the row has, because some of a group may not be stored. */
  forget(): void {
    this.#summary = undefined;
    this.#settings = undefined;
    this.#timeWritten = -Infinity;
  }
}
