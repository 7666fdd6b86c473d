import { join } from 'node:path';

import { loadPeer } from '../install.ts';
import type { Peer, PeerStore } from '../peer.ts';
import { effectsOf, type MastraWorkflows } from './mastra-effects.ts';

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
  listThreads(options: { readonly perPage: false }): Promise<{ readonly threads: readonly { readonly id: string }[] }>;
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
  remarks: {
    step: 'its storage alone: a message with the call, and the same with its result',
    resume: 'a workflow with a step for each effect, by restart()',
  },
  load: async () => {
    const { LibSQLStore } = await loadPeer<MastraLibSql>('@mastra/libsql');
    const workflows: MastraWorkflows = {
      ...(await loadPeer<MastraWorkflows>('@mastra/core')),
      ...(await loadPeer<MastraWorkflows>('@mastra/core/workflows')),
    };
    return async ({ directory }) => {
      const store = new LibSQLStore({ id: 'bench', url: `file:${join(directory, 'mastra.db')}` });
      await store.init();
      return openStore(store, await store.getStore('memory'), workflows);
    };
  },
};

function openStore(store: LibSqlStore, memory: Memory, workflows: MastraWorkflows): PeerStore {
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
    steps: async (id, calls) => ({
      run: async () => {
        for (let call = 0; call < calls; call++) {
          const message = messageOf(id, 'a call');
          await memory.saveMessages({ messages: [message] });
          const content = {
            ...message.content,
            parts: [...message.content.parts, { type: 'text', text: 'done' }],
          } as const;
          await memory.saveMessages({ messages: [{ ...message, content }] });
        }
      },
      close: async () => {},
    }),
    list: async () => (await memory.listThreads({ perPage: false })).threads.map(({ id }) => id),
    effects: effectsOf(store, workflows),
    close: async () => store.close?.(),
  };
}
