import { kindOf, parseStoreAddress } from '@conv/stores';

import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';
import { usageError } from './opened-store.ts';

/**
 * Checks that a folder or a file with conversations is there, for commands that make none: a place that is not there is most often a typing
 * mistake. A store elsewhere says so itself. Throws {@link CommandError} for an address that names no store or a store that is not there.
 */
export function checkStoreThere(address: string): void {
  const path = pathOf(address);
  // something else in its place is named when it is opened
  if (path === undefined || kindOf(path) !== 'nothing') return;
  throw new CommandError(
    exitCodes.notFound,
    `there is no store at ${path}; check the address, a store is made by its first conversation`,
  );
}

function pathOf(address: string): string | undefined {
  // the command says which option a URL belongs to
  if (/^https?:/i.test(address)) return undefined;
  try {
    const parsed = parseStoreAddress(address);
    if (parsed.kind === 'fs') return parsed.directory;
    return parsed.kind === 'sqlite' ? parsed.file : undefined;
  } catch (error) {
    throw usageError(error);
  }
}
