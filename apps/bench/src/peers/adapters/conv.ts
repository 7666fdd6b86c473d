import { join } from 'node:path';

import type { Peer, PeerPlace, StorageKind } from '../peer.ts';
import type { ClosableStore } from './conv-store.ts';

/** Conversations of ours on four stores. */
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
  peerOf('postgres', 'conv, PostgreSQL', 'commit, flushed by the server (synchronous_commit=on)', async () => {
    const { PostgresStore } = await import('@conv/persist-postgres');
    return ({ database = '' }) => new PostgresStore({ connectionString: database });
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
    remarks: {
      step: 'a call, its result, and the next request of the model made from the whole conversation',
      resume:
        'by a tool that keeps its progress as the handle of its call; without one the model is told that the outcome is unknown',
    },
    load: async () => {
      const make = await load();
      const { openConversations } = await import('./conv-store.ts');
      return async (place) => openConversations(make(place), place.directory);
    },
  };
}
