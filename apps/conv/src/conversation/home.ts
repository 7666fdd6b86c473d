import type { LocalConversationOptions } from '@conv/local';
import { parseStoreAddress } from '@conv/stores';

import { warnOf } from './finding-text.ts';
import { openedStore, usageError } from './opened-store.ts';
import { withoutPassword } from './without-password.ts';

/** The place of this machine's conversations, for the runtime. It is disposed of after the conversations in it. */
export interface Home extends AsyncDisposable {
  /** The options of a conversation that name the place. */
  readonly options: Pick<LocalConversationOptions, 'persistenceDir' | 'store'>;
}

/**
 * Opens the place at an address. Each conversation opens a folder for itself, so that the path is stored with the conversation, as
 * OpenHands does. Rejects `CommandError` for an address that names no store.
 */
export async function openHome(address: string): Promise<Home> {
  // opens a folder once, too, so that a wrong path is reported before a model is asked
  const opened = await openedStore(address, warnOf);
  const parsed = parseStoreAddress(address);
  if (parsed.kind !== 'fs') return { options: { store: opened.store }, [Symbol.asyncDispose]: () => opened.close() };
  await opened.close();
  return { options: { persistenceDir: parsed.directory }, [Symbol.asyncDispose]: async () => {} };
}

/** Text that names a place, without a password. */
export function placeText(address: string): string {
  try {
    const parsed = parseStoreAddress(address);
    return parsed.kind === 'fs' ? parsed.directory : withoutPassword(address);
  } catch (error) {
    throw usageError(error);
  }
}
