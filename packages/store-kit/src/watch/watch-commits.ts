import { isStoreError, toCommitSeq, type Commit, type CommitSeq, type JournalEnd } from '@conv/core/store';

/** The parts of a store that {@link watchCommits} needs. */
export interface WatchParts {
  /** The number of the first commit to hand out. */
  readonly from: CommitSeq;
  /** Ends the watch without an error. */
  readonly signal: AbortSignal;
  /** True when the reader was closed: then the watch ends, and errors of a read under way are dropped. */
  readonly isClosed: () => boolean;
  /** Finds the durable end of the log. `next`: the commit that the watch hands out next. */
  readonly look: (next: CommitSeq) => Promise<JournalEnd>;
  /** Reads commits that `look` found. Damaged commits are left out. */
  readonly commits: (range: { readonly from: CommitSeq; readonly to: CommitSeq }) => AsyncIterable<Commit>;
  /**
   * Resolves when the log may have grown since the last call, when `signal` aborts, and when the reader is closed. A change that
   * comes between `look` and `wait` must not be lost: see `Doorbell`.
   */
  readonly wait: () => Promise<void>;
  /** Called when the store could not be reached. From then on `wait` must resolve when the store may be back. */
  readonly onUnavailable?: () => void;
}

/**
 * Hands out commits from `from` on, each once and in order, then each new one as it becomes durable. This is the loop of
 * `JournalReader.watch` for every store:
 *
 * ```text
 * ┌─► look ──► hand out commits ──► wait ─┐      signal aborts, reader closed: end
 * │     └── UNAVAILABLE: onUnavailable ──►┤      any other error: throw
 * └───────────────────────────────────────┘
 * ```
 *
 * A damaged commit is passed over when `look` finds an end after it, so that it is not read again at each turn.
 */
export async function* watchCommits({
  from,
  signal,
  isClosed,
  look,
  commits,
  wait,
  onUnavailable,
}: WatchParts): AsyncGenerator<Commit, void, undefined> {
  let next: number = from;
  while (!signal.aborted && !isClosed()) {
    try {
      // Commits that are appended from here on are found in the next turn.
      const { seq: to } = await look(toCommitSeq(next));
      for await (const commit of commits({ from: toCommitSeq(next), to })) {
        next = commit.seq + 1;
        yield commit;
        if (signal.aborted) return;
      }
      next = Math.max(next, to);
    } catch (error) {
      if (isClosed()) return;
      // `next` stays behind the last commit that was handed out: nothing is lost or repeated when the store is back.
      if (!isStoreError(error, 'UNAVAILABLE')) throw error;
      onUnavailable?.();
    }
    await wait();
  }
}
