import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationState } from '@conv/core';
import { drafts } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { MemoryStore, type ConversationStore } from '@conv/core/store';
import Fastify from 'fastify';
import { onTestFinished } from 'vitest';

import { AccessKeys } from '../../src/auth/access-keys.ts';
import { ConversationHost } from '../../src/hosting/conversation-host.ts';
import { conversationSockets } from '../../src/sockets/conversation-sockets.ts';
import { registerSockets } from '../../src/sockets/register-sockets.ts';
import { toSocketHost } from '../../src/sockets/socket-host.ts';
import type { SocketHandler } from '../../src/sockets/socket-handler.ts';
import type { SocketServer, SocketServerOptions } from '../../src/sockets/socket-server.ts';
import { TestSocket, type TestSocketOptions } from './test-socket.ts';
import { only, StreamingAgent, type Think } from '@conv/testing-harness';

/** Options of a {@link SocketBench}. */
export interface BenchOptions extends Partial<Omit<SocketServerOptions, 'keys' | 'handlers'>> {
  readonly keys?: readonly string[];
  readonly think?: Think;
  readonly llm?: JsonObject;
  readonly maxSockets?: number;
  readonly handlers?: readonly SocketHandler[];
  readonly store?: ConversationStore;
  readonly idleTimeout?: number;
}

/** A server on its own port, with one conversation. Closed after the test. */
export interface SocketBench {
  readonly host: ConversationHost;
  readonly sockets: SocketServer;
  readonly id: string;
  /** Folder of workspaces; removed after the test. */
  readonly folder: string;
  readonly port: number;
  readonly reported: readonly unknown[];
  close(): Promise<void>;
  /** Releases the bench's own lease, so that the conversation can be unloaded. */
  releaseOwn(): void;
  /** The state of the conversation, to append to. */
  state(): ConversationState;
  /** Appends events, with one commit each. */
  append(...texts: readonly string[]): Promise<void>;
  /** Opens a socket on a path below `/sockets`. Default: the events of the conversation. */
  open(path?: string, options?: TestSocketOptions): TestSocket;
  /** Opens a session socket of the conversation. */
  session(after?: number, options?: TestSocketOptions): TestSocket;
}

/** Starts a server. */
export async function startBench(options: BenchOptions = {}): Promise<SocketBench> {
  const {
    keys = [],
    think,
    llm = {},
    maxSockets,
    handlers = [],
    store = new MemoryStore(),
    idleTimeout,
    platform = systemPlatform,
    ...server
  } = options;
  const agent = new StreamingAgent(think, llm);
  const folder = mkdtempSync(join(tmpdir(), 'conv-sockets-'));
  const reported: unknown[] = [];
  const report = (error: unknown): void => void reported.push(error);
  const host = new ConversationHost({
    store,
    persistenceDir: folder,
    agents: only(agent),
    report,
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
  });
  const app = Fastify();
  const conversations = conversationSockets({
    platform,
    host: toSocketHost(host),
    ...(maxSockets ? { maxSockets } : {}),
  });
  const sockets = registerSockets(app, {
    platform,
    report,
    ...server,
    keys: new AccessKeys({ sessionKeys: keys }),
    handlers: [...handlers, ...conversations],
  });
  const id = randomUUID();
  const lease = await host.create({ id, agent, workspace: join(folder, 'work') });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      await app.close();
      lease.release();
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    })());
  onTestFinished(close);
  const state = (): ConversationState => {
    const hosted = host.loaded(id);
    if (!hosted) throw new Error('the conversation is not loaded');
    return hosted.conversation.state;
  };
  const open = (path = `events/${id}`, given: TestSocketOptions = {}): TestSocket => {
    const socket = new TestSocket(`ws://127.0.0.1:${port}/sockets/${path}`, given);
    onTestFinished(() => socket.terminate());
    return socket;
  };
  return {
    host,
    sockets,
    id,
    folder,
    port,
    reported,
    close,
    releaseOwn: () => lease.release(),
    state,
    open,
    append: async (...texts) => {
      for (const text of texts) await state().append([drafts.environmentMessage(text)]);
    },
    session: (after, given) => open(`session/${id}${after === undefined ? '' : `?after_seq=${after}`}`, given),
  };
}
