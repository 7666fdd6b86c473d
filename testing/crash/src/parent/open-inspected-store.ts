import type { ConversationStore } from '@conv/core/store';
import { FsStore } from '@conv/persist-fs';
import { openStore, parseStoreAddress } from '@conv/stores';

import { FolderMirror } from './folder-mirror.ts';
import type { Place } from './places/place.ts';

/** The store of a round as its inspection opens it, whole and on a disk that works. */
export interface InspectedStore {
  readonly store: ConversationStore;
  readonly mirror: FolderMirror | undefined;
  readonly close: () => Promise<void>;
}

/** Opens the store of a place for looking at. */
export async function openInspectedStore({ address, leaseTimeout }: Place): Promise<InspectedStore> {
  const parsed = parseStoreAddress(address);
  if (parsed.kind !== 'fs') return { ...(await openStore(address, { leaseTimeout })), mirror: undefined };
  const store = new FsStore({ directory: parsed.directory, leaseTimeout });
  return { store, mirror: new FolderMirror(store, parsed.directory), close: () => store.close() };
}
