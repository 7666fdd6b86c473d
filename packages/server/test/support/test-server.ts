import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Agent, JsonObject } from '@conv/core';
import type { ModelTurn } from '@conv/conformance';
import { MemoryStore, type ConversationStore } from '@conv/core/store';
import type { Tool } from '@conv/core/tool';
import type { ConversationInfo } from '@conv/openhands/rest';
import { only } from '@conv/testing-harness';
import Fastify from 'fastify';
import { onTestFinished } from 'vitest';

import { agentServer, type AgentServer } from '../../src/plugin.ts';
import type { ConversationHost } from '../../src/hosting/conversation-host.ts';
import type { AgentServerOptions } from '../../src/server-options.ts';
import { ScriptedAgents } from './scripted-agents.ts';

/** Options of a {@link TestServer}. */
export interface TestServerOptions extends Partial<Omit<AgentServerOptions, 'agents'>> {
  /** Answers of the model `scripted`. */
  readonly turns?: readonly ModelTurn[];
  /** Answers of other models. */
  readonly scripts?: Readonly<Record<string, readonly ModelTurn[]>>;
  readonly tools?: readonly Tool[];
  /** The agent of all conversations. Default: agents by the scripts. */
  readonly agent?: Agent;
}

/** The answer to a request. */
export interface Answer<Body = JsonObject> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** An agent server on a port of its own. Closed after the test. */
export interface TestServer {
  readonly url: string;
  readonly folder: string;
  readonly store: ConversationStore;
  readonly agents: ScriptedAgents;
  readonly host: ConversationHost;
  /** Errors for which no client waited. */
  readonly reported: readonly { readonly error: unknown; readonly doing: string }[];
  call<Body = JsonObject>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  /** Makes a conversation whose model is `scripted`; rejects when it is refused. */
  make(more?: JsonObject): Promise<ConversationInfo>;
  info(id: string): Promise<ConversationInfo>;
  /** Returns a one-use ticket for a start link. */
  ticket(key: string): string;
  /** Starts a child as the tool of an agent does. */
  startChild: AgentServer['startChild'];
  close(): Promise<void>;
}

/** Starts an agent server. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { turns = [], scripts = {}, tools = [], agent, ...given } = options;
  const folder = mkdtempSync(join(tmpdir(), 'conv-server-'));
  const store = given.store ?? new MemoryStore();
  const agents = new ScriptedAgents({ scripted: turns, ...scripts }, tools);
  const reported: { error: unknown; doing: string }[] = [];
  const app = Fastify({ pluginTimeout: 0 });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= app.close());
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
  const report: AgentServerOptions['report'] = (error, { doing }) => void reported.push({ error, doing });
  const plugin = agentServer({
    persistenceDir: folder,
    report,
    handoverGrace: 0,
    ...given,
    store,
    agents: agent ? only(agent) : agents,
  });
  await app.register(plugin);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const call: TestServer['call'] = (method, path, body, headers) => send({ method, url: url + path, body, headers });
  const make: TestServer['make'] = async (more = {}) => {
    const { status, body } = await call<ConversationInfo>('POST', '/api/conversations', {
      ...newConversation(folder),
      ...more,
    });
    if (status !== 201) throw new Error(`refused with ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const info = async (id: string): Promise<ConversationInfo> =>
    (await call<ConversationInfo>('GET', `/api/conversations/${id}`)).body;
  const { host, issueTicket: ticket, startChild } = plugin;
  return { url, folder, store, agents, host, reported, call, make, info, ticket, startChild, close };
}

/** Returns a request to start a conversation whose model is `scripted`. */
export function newConversation(folder: string): JsonObject {
  return {
    agent: { kind: 'Agent', llm: { model: 'scripted', api_key: 'sk-plain-0123456789' }, tools: [] },
    workspace: { working_dir: join(folder, 'work', randomUUID()) },
  };
}

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly headers: Record<string, string> | undefined;
}

/** Sends a request without `fetch`, which sends no body with a GET, although the protocol needs one. */
function send<Body>({ method, url, body, headers = {} }: Sent): Promise<Answer<Body>> {
  const text = body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
  const length =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const received = Buffer.concat(chunks).toString();
        const answered = new Headers(response.headers as Record<string, string>);
        const isJson = answered.get('content-type')?.includes('json');
        resolve({
          status: response.statusCode ?? 0,
          headers: answered,
          body: (isJson ? JSON.parse(received) : received) as Body,
        });
      });
    });
    request.on('error', reject);
    request.end(text);
  });
}

/** Waits until `look` gives something that is true; asks again after every answer. */
export async function until<T>(look: () => Promise<T | undefined | false>, timeout = 100_000): Promise<T> {
  const end = Date.now() + timeout;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error('it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
