import { timers, type Platform } from '@conv/core/platform';
import type { OwnerInfo } from '@conv/core/store';

/** Milliseconds behind the end of a lease. */
const MARGIN = 250;

/**
 * Maximum milliseconds between checks, because a lease ends by the store's clock, which may differ much from this process's clock.
 */
const INTERVAL = 5000;

export interface OwnerWatchDeps {
  readonly platform: Platform;
  /** Resolves with the current owner; `undefined` for none. */
  readonly ownerNow: () => Promise<OwnerInfo | undefined>;
  readonly answered: AbortSignal;
}

/**
 * Returns a signal that is aborted when an owner that has not answered loses the conversation. A process that hangs keeps its
 * connections, so its answer would never come. Ownership is checked whenever the lease should be over, and at intervals.
 */
export function untilOwnerLost(
  owner: OwnerInfo,
  { platform, ownerNow, answered: signal }: OwnerWatchDeps,
): AbortSignal {
  const lost = new AbortController();
  const watch = async (): Promise<void> => {
    let known: OwnerInfo | undefined = owner;
    // an owner whose lease seems to be over but is not is checked less and less often
    let least = MARGIN;
    while (known?.owner === owner.owner && known.epoch === owner.epoch) {
      const over = known.until === undefined ? INTERVAL : known.until - platform.now() + MARGIN;
      await timers.sleep(platform, Math.min(INTERVAL, Math.max(least, over)), { signal, background: true });
      least = Math.min(INTERVAL, least * 2);
      known = await ownerNow();
    }
    lost.abort(new Error(`${owner.owner} has lost the conversation`));
  };
  // an answer came, or the store cannot tell if the owner has lost the conversation; then wait for the answer
  watch().catch(() => {});
  return lost.signal;
}
