import { setTimeout } from 'node:timers/promises';

import type { OwnerInfo } from '@conv/core/store';

/** Milliseconds behind the end of a lease, and between looks at an owner whose lease has no end that is known. */
const MARGIN = 250;
const INTERVAL = 5000;

/**
 * Aborted when an owner that has not answered yet does not own the conversation any more: a process that stands still keeps its
 * connections, and an answer would never come. It is looked at whenever its lease should be over.
 */
export function untilOwnerLost(
  owner: OwnerInfo,
  ownerNow: () => Promise<OwnerInfo | undefined>,
  answered: AbortSignal,
): AbortSignal {
  const lost = new AbortController();
  const watch = async (): Promise<void> => {
    let known: OwnerInfo | undefined = owner;
    while (known?.owner === owner.owner && known.epoch === owner.epoch) {
      const over = known.until === undefined ? INTERVAL : known.until - Date.now() + MARGIN;
      await setTimeout(Math.max(MARGIN, over), undefined, { signal: answered, ref: false });
      known = await ownerNow();
    }
    lost.abort(new Error(`${owner.owner} has lost the conversation`));
  };
  // an answer came, or whether it is lost cannot be found out: then the answer is waited for
  watch().catch(() => {});
  return lost.signal;
}
