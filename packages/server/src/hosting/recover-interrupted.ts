import { isConversationError } from '@conv/core';
import { Backoff, type Platform } from '@conv/core/platform';

/** Parts of a conversation whose run may have been interrupted. */
export interface Interruptible {
  readonly platform: Platform;
  /** True if the log says that a run is on and no process works on it. */
  readonly isInterrupted: () => boolean;
  /** Recovers the run. Rejects while the store fails. */
  readonly recover: () => Promise<void>;
  /** Aborted when the run is no longer to be recovered here. */
  readonly ended: AbortSignal;
  readonly report: (error: unknown) => void;
}

/** Milliseconds between attempts. */
const DELAYS = { first: 1000, most: 30_000 };

/**
 * Recovers a run whose end could not be stored because the store failed; its followers would wait forever otherwise. Retries until
 * it succeeds, another process has recovered the run, or the conversation is unloaded. Never rejects.
 */
export async function recoverInterrupted(interruptible: Interruptible): Promise<void> {
  const { platform, isInterrupted, recover, ended, report } = interruptible;
  const delays = new Backoff(platform, DELAYS);
  while (isInterrupted() && !ended.aborted) {
    await delays.wait({ background: true, signal: ended }).catch(() => {});
    if (ended.aborted || !isInterrupted()) return;
    try {
      await recover();
    } catch (error) {
      if (!isConversationError(error, 'STORE_FAILED') && !isConversationError(error, 'BUSY')) return report(error);
    }
  }
}
