import type { ConversationStore } from '@conv/core/store';
import { FsStore } from '@conv/persist-fs';
import { openStore, parseStoreAddress } from '@conv/stores';

import { FolderView } from './folder-view.ts';
import type { Place } from './places/place.ts';

/** The store of a round as its inspection opens it, whole and on a disk that works. */
export interface InspectedStore {
  readonly store: ConversationStore;
  readonly view: FolderView | undefined;
  readonly close: () => Promise<void>;
}

/** Opens the store of a place for looking at. */
export async function openInspectedStore({ address, patience }: Place): Promise<InspectedStore> {
  const parsed = parseStoreAddress(address);
  if (parsed.kind !== 'fs') return { ...(await openStore(address, { patience })), view: undefined };
  const store = new FsStore({ directory: parsed.directory, patience });
  return { store, view: new FolderView(store, parsed.directory), close: () => store.close() };
}
