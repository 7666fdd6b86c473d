import { isConversationError } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';

/** Milliseconds between attempts. */
const DELAYS = [50, 100, 200, 400, 800];

/** Opens a conversation that another process may own for a moment, to recover it. Rejects as `open`, or `signal.reason`. */
export async function openWhenFree<T>(open: () => Promise<T>, signal: AbortSignal, platform: Platform): Promise<T> {
  for (const delay of DELAYS) {
    try {
      return await open();
    } catch (error) {
      if (!isConversationError(error, 'OWNED')) throw error;
    }
    await timers.sleep(platform, delay, { signal });
  }
  return open();
}
