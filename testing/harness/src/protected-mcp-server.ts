import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { AuthorizationServer } from './authorization-server.ts';

/** A call of a tool that a {@link ProtectedMcpServer} got. */
export interface ReceivedMcpCall {
  readonly text: string;
  /** The member `_meta` of its parameters. */
  readonly meta: Readonly<Record<string, unknown>>;
}

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: string };
    readonly _meta?: ReceivedMcpCall['meta'];
    readonly protocolVersion?: string;
  };
}

const SAY = {
  name: 'say',
  description: 'Says it.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

/** An MCP server over HTTP whose requests need a token. Its tool `say` answers with its text. */
export class ProtectedMcpServer {
  /** The calls that it has executed, oldest first. */
  readonly calls: ReceivedMcpCall[] = [];
  readonly #authorization: Pick<AuthorizationServer, 'admits'>;
  readonly #server: Server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  private constructor(authorization: Pick<AuthorizationServer, 'admits'>) {
    this.#authorization = authorization;
  }

  /** Starts a server at a free port of this machine, for the tokens of an authorization server. */
  static async start(authorization: Pick<AuthorizationServer, 'admits'>): Promise<ProtectedMcpServer> {
    const server = new ProtectedMcpServer(authorization);
    await once(server.#server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#authorization.admits(request, response, this.url)) return;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += String(piece);
    const asked = JSON.parse(body) as Request;
    if (asked.id === undefined) return void response.writeHead(202).end();
    const answer = { jsonrpc: '2.0', id: asked.id, ...this.#resultOf(asked) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #resultOf({ method, params = {} }: Request): object {
    switch (method) {
      case 'initialize': {
        const serverInfo = { name: 'protected', version: '1' };
        return { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } };
      }
      case 'tools/list':
        return { result: { tools: [SAY] } };
      case 'tools/call': {
        const { arguments: { text = '' } = {}, _meta: meta = {} } = params;
        this.calls.push({ text, meta });
        return { result: { content: [{ type: 'text', text }] } };
      }
      default:
        return { error: { code: -32_601, message: `there is no method ${method}` } };
    }
  }
}
