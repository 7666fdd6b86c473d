import { setTimeout } from 'node:timers/promises';

import { isConversationError } from '@conv/core';

/** What is needed of a conversation whose run may have ended without saying so. */
export interface Interruptible {
  /** The log says that a run is on, and nobody works on it. */
  readonly isInterrupted: () => boolean;
  /** Goes on with the run. Rejects while the store fails. */
  readonly settle: () => Promise<void>;
  /** Nobody settles it here any more. */
  readonly ended: AbortSignal;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between two tries: the first, and the longest. */
const FIRST = 1000;
const LONGEST = 30_000;

/**
 * A run whose store failed could not say how it ended: everybody would wait for it for ever. Tries to settle it until that succeeds, somebody
 * else has done it, or the conversation is given up. Never rejects.
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
