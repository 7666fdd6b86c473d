import { setTimeout } from 'node:timers/promises';

import type { OwnerInfo } from '@conv/core/store';

/** Milliseconds behind the end of a lease. */
const MARGIN = 250;

/** Milliseconds between looks at most: the end of a lease is told by the clock of the store, and this one may be far from it. */
const INTERVAL = 5000;

/**
 * Aborted when an owner that has not answered yet does not own the conversation any more: a process that stands still keeps its
 * connections, and an answer would never come. It is looked at whenever its lease should be over, and now and then.
 */
export function untilOwnerLost(
  owner: OwnerInfo,
  ownerNow: () => Promise<OwnerInfo | undefined>,
  answered: AbortSignal,
  wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown> = pause,
): AbortSignal {
  const lost = new AbortController();
  const watch = async (): Promise<void> => {
    let known: OwnerInfo | undefined = owner;
    // whose lease seems to be over and is not is looked at less and less often
    let least = MARGIN;
    while (known?.owner === owner.owner && known.epoch === owner.epoch) {
      const over = known.until === undefined ? INTERVAL : known.until - Date.now() + MARGIN;
      await wait(Math.min(INTERVAL, Math.max(least, over)), answered);
      least = Math.min(INTERVAL, least * 2);
      known = await ownerNow();
    }
    lost.abort(new Error(`${owner.owner} has lost the conversation`));
  };
  // an answer came, or whether it is lost cannot be found out: then the answer is waited for
  watch().catch(() => {});
  return lost.signal;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal, ref: false });
}
