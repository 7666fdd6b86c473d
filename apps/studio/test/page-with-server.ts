import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '@conv/persist-sqlite';
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { openChromium } from './browser/studio-page.ts';
import { ConversationServer } from './conversation-server.ts';

/** A browser, and a server with the page over a store of its own. */
export interface PageWithServer {
  readonly browser: Browser;
  readonly store: SqliteStore;
  readonly server: ConversationServer;
}

/** Starts a browser and a server for a file of tests, at whose end they are closed and the store is removed. */
export async function startPageWithServer(): Promise<PageWithServer> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-studio-test-'));
  const store = new SqliteStore({ file: join(folder, 'conversations.db') });
  const [browser, server] = await Promise.all([openChromium(), ConversationServer.start(store)]);
  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { browser, store, server };
}
