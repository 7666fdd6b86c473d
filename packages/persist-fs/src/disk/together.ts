/**
 * Waits for flushes that were begun side by side, so that the device does them at once. Resolves when all have ended. Rejects then with
 * the first failure, and not before: a file must stay open while it is flushed.
 */
export async function together(flushes: readonly Promise<void>[]): Promise<void> {
  for (const flush of await Promise.allSettled(flushes)) if (flush.status === 'rejected') throw flush.reason;
}
