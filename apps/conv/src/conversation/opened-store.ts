import type { ConversationStore } from '@conv/core/store';
import {
  checkCopyPlace,
  type OpenedStore,
  openStore,
  parseStoreAddress,
  type StoreAddress,
  StoreAddressError,
} from '@conv/stores';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { withoutPassword } from './without-password.ts';

/**
 * Opens the store at an address that a person has written; `report` receives what it finds and deals with. Rejects with the exit code for
 * wrong arguments when it is none.
 */
export async function openedStore(address: string, report?: (finding: object) => void): Promise<OpenedStore> {
  if (/^https?:/.test(address))
    throw new CommandError(
      exitCodes.usage,
      `expected the address of a store, found ${withoutPassword(address)}, the URL of a server; name it with --server`,
    );
  try {
    return await openStore(address, report ? { report } : {});
  } catch (error) {
    throw usageError(error);
  }
}

/** Two stores, of which one is copied to the other. */
export interface OpenedPair extends AsyncDisposable {
  readonly from: ConversationStore;
  readonly to: ConversationStore;
}

/** Opens both. Rejects with the exit code for wrong arguments when the copy would lie in the source or in a conversation. */
export async function openedPair(from: string, to: string): Promise<OpenedPair> {
  const source = await openedStore(from);
  try {
    checkTarget(source.address, to);
    const target = await openedStore(to);
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

function checkTarget(from: StoreAddress, to: string): void {
  try {
    checkCopyPlace(from, parseStoreAddress(to));
  } catch (error) {
    throw usageError(error, '--to: ');
  }
}

/** Returns the error for an address that names no store; any other error unchanged. */
export function usageError(error: unknown, place = ''): unknown {
  return error instanceof StoreAddressError ? new CommandError(exitCodes.usage, place + error.message) : error;
}
