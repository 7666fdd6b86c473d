import type { StateFields } from '@conv/core';
import type { Commit, NewCommit, StoreError } from '@conv/core/store';

/** A commit on its way to the database. */
export interface PendingAppend {
  readonly commit: NewCommit;
  readonly body: Buffer;
  readonly after: StateFields;
  /** Why it cannot be stored; told in its turn. */
  readonly refusal: StoreError | undefined;
  readonly resolve: (commit: Commit) => void;
  readonly reject: (error: StoreError) => void;
}

const GROUP_COMMITS = 512;
const GROUP_BYTES = 4 * 1024 * 1024;

/** The appends of a journal that wait for the one before. */
export class AppendQueue {
  #waiting: PendingAppend[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(pending: PendingAppend): void {
    this.#waiting.push(pending);
  }

  /** The first ones that can be stored together; none when the first one is refused. */
  takeGroup(): readonly PendingAppend[] {
    let bytes = 0;
    let count = 0;
    for (const { body, refusal } of this.#waiting) {
      if (refusal || count === GROUP_COMMITS || (count > 0 && bytes + body.length > GROUP_BYTES)) break;
      bytes += body.length;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Why the first one is refused. */
  get refusal(): StoreError | undefined {
    return this.#waiting[0]?.refusal;
  }

  /** Rejects all: they were made for what is not there. */
  rejectAll(reason: StoreError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reject } of waiting) reject(reason);
  }
}
