import type { StateFields } from '@conv/core';
import type { Commit } from '@conv/core/store';
import type { CommitBody } from './commit-frame.ts';

/** A commit on its way to the disk. */
export interface PendingAppend {
  readonly body: CommitBody;
  /** The state with it applied; `undefined` when only the log can tell. */
  readonly after: StateFields | undefined;
  readonly resolve: (commit: Commit) => void;
  readonly reject: (reason: unknown) => void;
  /** It is refused when its turn comes, and everything accepted after it: that may build on it. */
  readonly refusal?: unknown;
}

/** One write and one flush hold at most this many commits and bytes; a commit larger than that goes alone. */
const GROUP_COMMITS = 1024;
const GROUP_BYTES = 4 * 1024 * 1024;

/** Commits in the order they were handed over. */
export class AppendQueue {
  #waiting: PendingAppend[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(pending: PendingAppend): void {
    this.#waiting.push(pending);
  }

  /** The next commits that are written together; a refused one ends the group before it. */
  takeGroup(): PendingAppend[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(this.#waiting.length, GROUP_COMMITS); count++) {
      const next = this.#waiting[count] as PendingAppend;
      bytes += next.body.text.length;
      if (next.refusal !== undefined || (count > 0 && bytes > GROUP_BYTES)) break;
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
