import { createConversationFactory } from '@conv/core';
import { MemoryStore } from '@conv/core/store';

import { remote, RemoteWorkspace, type RemoteConversationOptions } from '../src/index.ts';

const workspace = new RemoteWorkspace({ host: 'localhost:8000' });
const Conversation = createConversationFactory({ runtimes: [remote()] });

export const plain: RemoteConversationOptions = { workspace };

// @ts-expect-error: servers store by themselves
export const withFolder: RemoteConversationOptions = { workspace, persistenceDir: 'conversations' };

// @ts-expect-error: servers store by themselves
export const withStore: RemoteConversationOptions = { workspace, store: new MemoryStore() };

export const withHooks: RemoteConversationOptions = {
  workspace,
  hooks: { pre_tool_use: [{ matcher: 'terminal', hooks: [{ command: './check' }] }] },
};

// @ts-expect-error: there is no such moment
export const misspeltMoment: RemoteConversationOptions = { workspace, hooks: { pre_tool_usage: [] } };

export const misspeltHook: RemoteConversationOptions = {
  workspace,
  // @ts-expect-error: there is no such member of a hook
  hooks: { stop: [{ hooks: [{ comand: './check' }] }] },
};

export const opened = (): Promise<unknown> => Conversation({ workspace });

// @ts-expect-error: servers store by themselves
export const refused = (): Promise<unknown> => Conversation({ workspace, persistenceDir: 'conversations' });
