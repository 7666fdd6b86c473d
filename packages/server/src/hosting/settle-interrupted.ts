import { setTimeout } from 'node:timers/promises';

import { isConversationError } from '@conv/core';

/** Parts of a conversation whose run may have been interrupted. */
export interface Interruptible {
  /** True if the log says that a run is on and no process works on it. */
  readonly isInterrupted: () => boolean;
  /** Goes on with the run. Rejects while the store fails. */
  readonly settle: () => Promise<void>;
  /** Aborted when the run is not settled here any more. */
  readonly ended: AbortSignal;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two tries: the first, and the longest. */
const FIRST = 1000;
const LONGEST = 30_000;

/**
 * Settles a run whose end could not be stored because the store failed; its followers would wait forever otherwise. Tries until
 * that succeeds, another process has settled it, or the conversation is unloaded. Never rejects.
 */
export async function settleInterrupted({ isInterrupted, settle, ended, report }: Interruptible): Promise<void> {
  let delay = FIRST;
  while (isInterrupted() && !ended.aborted) {
    await setTimeout(delay * (0.5 + Math.random() / 2), undefined, { ref: false, signal: ended }).catch(() => {});
    if (ended.aborted || !isInterrupted()) return;
    try {
      await settle();
    } catch (error) {
      if (!isConversationError(error, 'STORE_FAILED') && !isConversationError(error, 'BUSY')) return report(error);
    }
    delay = Math.min(LONGEST, delay * 2);
  }
}
