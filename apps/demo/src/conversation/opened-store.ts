import { type OpenedStore, openStore, StoreAddressError } from '@conv/stores';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../failure.ts';

/** Opens the store at an address that a person has written. Rejects with the exit code for wrong arguments when it is none. */
export async function openedStore(address: string): Promise<OpenedStore> {
  try {
    return await openStore(address);
  } catch (error) {
    throw error instanceof StoreAddressError ? new CommandError(exitCodes.usage, error.message) : error;
  }
}
