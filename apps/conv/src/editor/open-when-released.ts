import { setTimeout as delay } from 'node:timers/promises';

import { isConversationError } from '@conv/core';

import { openWhenFree } from '../chat/home/open-when-free.ts';

/** Milliseconds to wait for a process of an earlier editor, which ends with its run. */
const MOST = 90_000;
const EVERY = 500;

/** Opens a conversation when the process of an earlier editor has given it up. Rejects `OWNED` if that takes too long. */
export async function openWhenReleased<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const last = performance.now() + MOST;
  for (;;) {
    try {
      return await openWhenFree(open, () => undefined);
    } catch (error) {
      if (!isConversationError(error, 'OWNED') || performance.now() > last) throw error;
    }
    await delay(EVERY);
  }
}
