import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type EventStore } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

import { newScript, scriptedServer, type Script } from './scripted-server.ts';

/** A scripted server on a port of its own, with what it was asked. */
export interface ScriptedHttpServer {
  readonly url: string;
  readonly script: Script;
  /** The headers of all requests. */
  readonly headers: readonly IncomingMessage['headers'][];
  /** Forgets all sessions, as a server does that is started anew. */
  readonly forget: () => void;
  /** Breaks all connections, calls that run included. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Keeps sessions, as servers did before 2026, and streams that can be resumed where there is a store. */
export async function sessionServer(eventStore?: EventStore): Promise<ScriptedHttpServer> {
  const script = newScript();
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const server = await listen(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      ...(eventStore ? { eventStore } : {}),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await scriptedServer(script).connect(transport);
    await transport.handleRequest(request, response);
  });
  return { ...server, script, forget: () => sessions.clear() };
}

/** Speaks the revision without sessions alone. With `refuseNext` it does not take the next request. */
export async function sessionlessServer(): Promise<
  ScriptedHttpServer & { readonly notify: () => void; readonly refuseNext: () => void }
> {
  let isRefusing = false;
  const script = newScript();
  const handler = createMcpHandler(() => scriptedServer(script), { legacy: 'reject' });
  const handle = toNodeHandler(handler);
  const server = await listen((request, response) => {
    const { method = 'GET', url = '/' } = request;
    if (isRefusing) {
      isRefusing = false;
      return void response.writeHead(404).end();
    }
    return handle(Object.assign(request, { method, url }), response);
  });
  onTestFinished(() => handler.close());
  const refuseNext = (): void => void (isRefusing = true);
  return { ...server, script, forget: () => undefined, notify: () => handler.notify.toolsChanged(), refuseNext };
}

/** An address that nothing but `handle` answers at. */
export async function listen(handle: Handler): Promise<Omit<ScriptedHttpServer, 'script' | 'forget'>> {
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    Promise.resolve(handle(request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => stop(server));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers,
    cut: () => server.closeAllConnections(),
    stop: () => stop(server),
  };
}

function stop(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}

/** Keeps what was sent, so that streams can be resumed. */
export function eventStore(): EventStore {
  const events: { readonly stream: string; readonly message: Parameters<EventStore['storeEvent']>[1] }[] = [];
  return {
    storeEvent: (stream, message) => Promise.resolve(String(events.push({ stream, message }) - 1)),
    replayEventsAfter: async (last, { send }) => {
      const { stream = '' } = events[Number(last)] ?? {};
      for (const [id, event] of events.entries())
        if (id > Number(last) && event.stream === stream) await send(String(id), event.message);
      return stream;
    },
  };
}
