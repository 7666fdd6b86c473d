import { ConversationError } from '../contract/errors/conversation-error.ts';
import { createAsyncContext } from '../platform/async-context.ts';

/** Proof that its holder has the lock. */
export interface LockHandle {
  readonly held: boolean;
}

class Holder implements LockHandle {
  readonly lock: FifoLock;
  readonly outer: Holder | undefined;
  held = true;

  constructor(lock: FifoLock, outer: Holder | undefined) {
    this.lock = lock;
    // Released holders are left out, so that nested work that outlives them does not grow a chain.
    this.outer = nearest(outer, ({ held }) => held);
  }
}

function nearest(from: Holder | undefined, wanted: (holder: Holder) => boolean): Holder | undefined {
  return !from || wanted(from) ? from : nearest(from.outer, wanted);
}

// All locks share this storage, because before Node 24 every storage in use adds to the cost of every promise of the process.
const context = createAsyncContext<Holder>();

/**
 * A lock that admits one holder at a time, in the order of the calls. Re-entrant through its handle: a caller that was given the
 * handle may enter again. Work that is started inside without the handle does not own the lock. If it asks for the lock there, it
 * is rejected with `DEADLOCK`, because awaiting it would never end.
 */
export class FifoLock {
  #tail: Promise<void> = Promise.resolve();
  #holder: Holder | undefined;

  /** Runs `work` with the lock held. Resolves or rejects as `work` does, after the lock is free again. */
  async run<T>(work: (handle: LockHandle) => T | Promise<T>, handle?: LockHandle): Promise<T> {
    if (handle?.held && handle === this.#holder) return await work(handle);
    if (nearest(context.getStore(), ({ lock, held }) => held && lock === this))
      throw new ConversationError('DEADLOCK', 'the lock is held by the caller; use the handle of its transaction');
    const before = this.#tail;
    let release: () => void = () => {};
    this.#tail = new Promise((resolve) => (release = resolve));
    await before;
    const holder = new Holder(this, context.getStore());
    this.#holder = holder;
    try {
      return await context.run(holder, () => work(holder));
    } finally {
      holder.held = false;
      release();
    }
  }
}
