// The setting of the mistakes: a model that is never asked, its agent, factories, and a folder that is removed at the
// end.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { createAgent, openaiCompatible } from '@conv/agent';
import { type Conversation, createConversationFactory } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { remote, RemoteWorkspace } from '@conv/remote';
import { createSecretVault } from '@conv/secrets';
import { z } from 'zod';

/** A mistake, and the whole message that answers it; `<folder>`, `<id>` and `…` stand for what differs. */
export type Mistake = readonly [make: () => unknown, message: string];

/** A function or class whose arguments the compiler does not look at. */
export interface Anything {
  (...given: unknown[]): unknown;
  new (...given: unknown[]): unknown;
}

/** An object whose methods take anything, as in a program without a compiler. */
export type Loose<Value> = {
  readonly [Name in keyof Value]: Value[Name] extends (...given: never[]) => infer Result
    ? (...given: unknown[]) => Result
    : Loose<Value[Name]>;
};

/** Takes what the compiler would refuse. */
export function wrong(value: unknown): never {
  return value as never;
}

export const folder: string = realpathSync(mkdtempSync(join(tmpdir(), 'conv-mistakes-')));

/** Writes a file into the folder. */
export function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

export const id = '00000000-0000-4000-8000-000000000000';
export const model = openaiCompatible('m', { name: 'local', baseUrl: 'http://127.0.0.1:9/v1' });
export const assistant = createAgent({ model, tools: [] });
export const Local = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() })] });
export const WithVault = createConversationFactory({
  runtimes: [local({ storeAt: () => new MemoryStore(), secrets: createSecretVault })],
});
export const OnDisk = createConversationFactory({
  runtimes: [local({ storeAt: (directory) => new FsStore({ directory }) })],
});
export const Remote = createConversationFactory({ runtimes: [remote()] });
export const there = new RemoteWorkspace({ host: 'http://127.0.0.1:9', requests: { requestTimeout: 1 } });
export const parts = { store: new MemoryStore(), persistenceDir: 'x', agents: { revive: async () => undefined } };
export const weather = {
  name: 'weather',
  description: 'Reports the weather.',
  input: z.object({ city: z.string() }),
  execute: () => 'sunny',
};

/** Makes the mistake on a new conversation. */
export function on(mistake: (conversation: Loose<Conversation>) => unknown): () => Promise<unknown> {
  return async () => {
    const conversation = await Local.create({ agent: assistant, workspace: folder, store: new MemoryStore() });
    try {
      return await mistake(conversation as unknown as Loose<Conversation>);
    } finally {
      await conversation.close();
    }
  };
}
