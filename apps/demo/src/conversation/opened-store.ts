import type { ConversationStore } from '@conv/core/store';
import { isSamePlace, type OpenedStore, openStore, StoreAddressError } from '@conv/stores';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';

/** Opens the store at an address that a person has written. Rejects with the exit code for wrong arguments when it is none. */
export async function openedStore(address: string): Promise<OpenedStore> {
  try {
    return await openStore(address);
  } catch (error) {
    throw error instanceof StoreAddressError ? new CommandError(exitCodes.usage, error.message) : error;
  }
}

/** Two stores, of which one is copied to the other. */
export interface OpenedPair extends AsyncDisposable {
  readonly from: ConversationStore;
  readonly to: ConversationStore;
}

/** Opens both. Rejects with the exit code for wrong arguments when they are one: that would be no copy. */
export async function openedPair(from: string, to: string): Promise<OpenedPair> {
  const source = await openedStore(from);
  try {
    const target = await openedStore(to);
    if (isSamePlace(source.address, target.address)) {
      await target.close();
      throw new CommandError(exitCodes.usage, '--to: expected another store than the source, found the same store');
    }
    const close = async (): Promise<void> => {
      try {
        await target.close();
      } finally {
        await source.close();
      }
    };
    return { from: source.store, to: target.store, [Symbol.asyncDispose]: close };
  } catch (error) {
    await source.close();
    throw error;
  }
}
