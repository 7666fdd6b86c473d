import type { StateFields } from '@conv/core';
import type { Commit } from '@conv/core/store';
import type { CommitBody } from './commit-line.ts';

/** A commit on its way to the bucket. */
export interface PendingAppend {
  readonly body: CommitBody;
  /** The state with it applied. */
  readonly after: StateFields;
  readonly resolve: (commit: Commit) => void;
  readonly reject: (reason: unknown) => void;
  /** It is refused when its turn comes, and everything accepted after it: that may build on it. */
  readonly refusal: unknown;
}

/** One slot holds at most this many commits and characters; a commit larger than that goes alone. */
const GROUP_COMMITS = 1024;
const GROUP_LENGTH = 4 * 1024 * 1024;

/** Commits in the order they were handed over. */
export class AppendQueue {
  readonly #waiting: PendingAppend[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(pending: PendingAppend): void {
    this.#waiting.push(pending);
  }

  /** The next commits that are written together; a refused one ends the group before it. */
  takeGroup(): PendingAppend[] {
    let [count, length] = [0, 0];
    for (const { body, refusal } of this.#waiting) {
      length += body.text.length;
      if (refusal !== undefined || count === GROUP_COMMITS || (count > 0 && length > GROUP_LENGTH)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Rejects with its reason the refused commit that is next, and everything behind it. */
  settleRefusal(): void {
    const refusal = this.#waiting[0]?.refusal;
    if (refusal !== undefined) this.rejectAll(refusal);
  }

  rejectAll(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }
}
