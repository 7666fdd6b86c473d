import { join } from 'node:path';

import { loadPeer } from '../install.ts';
import type { Peer, PeerStore } from '../peer.ts';

interface Message {
  readonly id: string;
  readonly threadId: string;
  readonly resourceId: string;
  readonly role: 'user';
  readonly createdAt: Date;
  readonly content: { readonly format: 2; readonly parts: readonly { readonly type: 'text'; readonly text: string }[] };
}
interface Thread {
  readonly id: string;
  readonly resourceId: string;
  readonly title: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
interface Memory {
  saveThread(options: { readonly thread: Thread }): Promise<unknown>;
  saveMessages(options: { readonly messages: readonly Message[] }): Promise<unknown>;
  listMessages(options: {
    readonly threadId: string;
    readonly perPage: number | false;
    readonly page?: number;
    readonly orderBy: { readonly field: 'createdAt'; readonly direction: 'ASC' | 'DESC' };
  }): Promise<{ readonly messages: readonly Message[] }>;
  copyThread(options: { readonly sourceThreadId: string; readonly newThreadId: string }): Promise<unknown>;
}
interface LibSqlStore {
  init(): Promise<void>;
  getStore(domain: 'memory'): Promise<Memory>;
  close?(): Promise<void>;
}
interface MastraLibSql {
  readonly LibSQLStore: new (options: { readonly id: string; readonly url: string }) => LibSqlStore;
}

const FILLED_AT_ONCE = 500;
const RESOURCE = 'bench';

/** Mastra's storage of threads and messages in a local LibSQL file. */
export const mastra: Peer = {
  key: 'mastra-libsql',
  title: 'Mastra, LibSQL',
  kind: 'sqlite',
  synced: 'write-ahead log, no flush at a commit (its store sets synchronous=NORMAL)',
  packages: ['@mastra/core', '@mastra/libsql'],
  load: async () => {
    const { LibSQLStore } = await loadPeer<MastraLibSql>('@mastra/libsql');
    return async ({ directory }) => {
      const store = new LibSQLStore({ id: 'bench', url: `file:${join(directory, 'mastra.db')}` });
      await store.init();
      return openStore(store, await store.getStore('memory'));
    };
  },
};

function openStore(store: LibSqlStore, memory: Memory): PeerStore {
  // messages are ordered by their time, so no two have the same
  let latest = 0;
  const messageOf = (threadId: string, text: string): Message => {
    latest = Math.max(latest + 1, Date.now());
    return {
      id: crypto.randomUUID(),
      threadId,
      resourceId: RESOURCE,
      role: 'user',
      createdAt: new Date(latest),
      content: { format: 2, parts: [{ type: 'text', text }] },
    };
  };
  const textsOf = (messages: readonly Message[]): readonly string[] =>
    messages.map(({ content }) => content.parts.map(({ text }) => text).join(''));
  return {
    fill: async (id, texts) => {
      const now = new Date();
      await memory.saveThread({ thread: { id, resourceId: RESOURCE, title: '', createdAt: now, updatedAt: now } });
      latest = now.getTime() - texts.length - 1;
      const messages = texts.map((text, index) => ({
        ...messageOf(id, text),
        createdAt: new Date(now.getTime() - texts.length + index),
      }));
      for (let at = 0; at < messages.length; at += FILLED_AT_ONCE)
        await memory.saveMessages({ messages: messages.slice(at, at + FILLED_AT_ONCE) });
    },
    open: async (id) => ({
      append: async (text) => void (await memory.saveMessages({ messages: [messageOf(id, text)] })),
      last: async (count) => {
        const orderBy = { field: 'createdAt', direction: 'DESC' } as const;
        const { messages } = await memory.listMessages({ threadId: id, perPage: count, page: 0, orderBy });
        // a page comes back oldest first whichever end it was taken from
        return textsOf(messages.toSorted((a, b) => Number(a.createdAt) - Number(b.createdAt)));
      },
      all: async () => {
        const orderBy = { field: 'createdAt', direction: 'ASC' } as const;
        return textsOf((await memory.listMessages({ threadId: id, perPage: false, orderBy })).messages);
      },
      close: async () => {},
    }),
    fork: async (from, to) => void (await memory.copyThread({ sourceThreadId: from, newThreadId: to })),
    close: async () => store.close?.(),
  };
}
