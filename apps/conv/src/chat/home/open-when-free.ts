import { setTimeout as delay } from 'node:timers/promises';

import { isConversationError } from '@conv/core';
import { isStoreError } from '@conv/core/store';

/** Maximum milliseconds to wait for a conversation to become free. */
const MOST = 90_000;
/** Milliseconds behind the end of a claim, because clocks differ. */
const MARGIN = 1_000;

/** The claim of another process on a conversation. */
export interface OtherClaim {
  readonly owner: string;
  /** Milliseconds until it ends, unless it is renewed. */
  readonly wait: number;
}

/**
 * Opens a conversation. In stores on a network the claim of a process that was killed lasts for a while: then calls `onWait`, waits for its
 * end, and opens once again. Rejects as `open` does, also when the owner has renewed its claim.
 */
export async function openWhenFree<Opened>(
  open: () => Promise<Opened>,
  onWait: (claim: OtherClaim) => void,
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    const claim = claimIn(error);
    if (claim === undefined || claim.wait > MOST) throw error;
    onWait(claim);
    // do not delay a user who leaves meanwhile
    await delay(Math.max(0, claim.wait) + MARGIN, undefined, { ref: false });
    return await open();
  }
}

function claimIn(error: unknown): OtherClaim | undefined {
  const cause = isConversationError(error) ? error.cause : error;
  if (!isStoreError(cause, 'OWNED') || cause.owner?.until === undefined) return undefined;
  return { owner: cause.owner.owner, wait: cause.owner.until - Date.now() };
}
