import { AuthorizationServer, type AuthorizationServerOptions } from '@conv/testing-harness';
import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@conv/core/tool';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';

import type { McpAuthorization, McpAuthRecords, McpServerConfig } from '../../../src/index.ts';
import { listen } from './http-server.ts';
import { newScript, scriptedServer, type Script } from './scripted-server.ts';

/** The address that browsers come back to in tests. */
const REDIRECT = 'http://127.0.0.1:9/callback';

/** An MCP server that wants tokens of an authorization server. */
export interface OAuthServer {
  readonly config: McpServerConfig;
  readonly url: string;
  readonly script: Script;
  /** The `authorization` headers of all requests. */
  readonly tokens: () => readonly (string | undefined)[];
  /** The scope that requests need from now on. */
  scope: string;
}

export async function authorizationServer(options?: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const server = await AuthorizationServer.start(options);
  onTestFinished(() => server.stop());
  return server;
}

/** Starts an MCP server of the official library, with sessions as before 2026 or without, in front of which tokens are checked. */
export async function oauthServer(
  authorization: Pick<AuthorizationServer, 'admits'>,
  kind: 'sessions' | 'sessionless' = 'sessionless',
): Promise<OAuthServer> {
  const script = newScript();
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const handler = createMcpHandler(() => scriptedServer(script), { legacy: 'reject' });
  onTestFinished(() => handler.close());
  const handle = toNodeHandler(handler);
  const { url, headers } = await listen(async (request, response) => {
    if (!authorization.admits(request, response, url, server.scope)) return;
    const { method = 'GET', url: path = '/' } = request;
    if (kind === 'sessionless') return handle(Object.assign(request, { method, url: path }), response);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known) return known.handleRequest(request, response);
    if (id !== undefined) return void response.writeHead(404).end();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await scriptedServer(script).connect(transport);
    await transport.handleRequest(request, response);
  });
  const server: OAuthServer = {
    config: { url, auth: { strategy: 'oauth2' } },
    url,
    script,
    tokens: () => headers.map(({ authorization: token }) => token),
    scope: 'use',
  };
  return server;
}

/** Records in memory, which several conversations use. */
export class MemoryRecords implements McpAuthRecords {
  readonly #records: Map<string, { readonly value: string; readonly version: string }> = new Map();
  #changes = 0;

  get all(): readonly JsonObject[] {
    return [...this.#records.values()].map(({ value }) => JSON.parse(value) as JsonObject);
  }

  get: McpAuthRecords['get'] = async (key) => {
    const record = this.#records.get(key);
    return record && { value: JSON.parse(record.value) as JsonObject, version: record.version };
  };

  replace: McpAuthRecords['replace'] = async (key, value, expected) => {
    if ((this.#records.get(key)?.version ?? null) !== expected) return false;
    this.#changes += 1;
    if (value) this.#records.set(key, { value: JSON.stringify(value), version: String(this.#changes) });
    else this.#records.delete(key);
    return true;
  };
}

/** Returns the way to authorize at a server on this machine. */
export function authorizationAt(
  { host }: Pick<AuthorizationServer, 'host'>,
  more: Partial<McpAuthorization> = {},
): McpAuthorization & { readonly records: MemoryRecords } {
  const records = new MemoryRecords();
  return { records, redirectUrl: REDIRECT, hosts: [host], ...more } as McpAuthorization & {
    readonly records: MemoryRecords;
  };
}
