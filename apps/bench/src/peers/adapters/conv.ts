import { join } from 'node:path';

import type { Peer, PeerPlace, StorageKind } from '../peer.ts';
import type { ClosableStore } from './conv-store.ts';

/** Conversations of ours on three stores. */
export const ours: readonly Peer[] = [
  peerOf('memory', 'conv, memory', 'nothing: the memory of the process', async () => {
    const { MemoryStore } = await import('@conv/core/store');
    return () => new MemoryStore();
  }),
  peerOf('files', 'conv, files', 'fdatasync for each commit', async () => {
    const { FsStore } = await import('@conv/persist-fs');
    return ({ directory }) => new FsStore({ directory });
  }),
  peerOf('sqlite', 'conv, SQLite', 'write-ahead log, fsync for each commit (synchronous=FULL)', async () => {
    const { SqliteStore } = await import('@conv/persist-sqlite');
    return ({ directory }) => new SqliteStore({ file: join(directory, 'conversations.db') });
  }),
];

function peerOf(
  kind: StorageKind,
  title: string,
  synced: string,
  load: () => Promise<(place: PeerPlace) => ClosableStore>,
): Peer {
  return {
    key: `conv-${kind}`,
    title,
    kind,
    synced,
    packages: [],
    load: async () => {
      const make = await load();
      const { openConversations } = await import('./conv-store.ts');
      return async (place) => openConversations(make(place), place.directory);
    },
  };
}
