import { missingStore, parseStoreAddress } from '@conv/stores';

import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { usageError } from './opened-store.ts';

/**
 * Checks that a folder or a file with conversations is there, for commands that make none. Throws {@link CommandError} for an address that
 * names no store or a store that is not there.
 */
export function checkStoreThere(address: string): void {
  const missing = missingIn(address);
  if (missing !== undefined) throw new CommandError(exitCodes.notFound, missing);
}

function missingIn(address: string): string | undefined {
  // the command says which option a URL belongs to
  if (/^https?:/i.test(address)) return undefined;
  try {
    return missingStore(parseStoreAddress(address));
  } catch (error) {
    throw usageError(error);
  }
}
