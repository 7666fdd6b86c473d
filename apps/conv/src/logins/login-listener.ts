import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { FinishedMcpLogin } from '@conv/tools';

const PATH = '/callback';
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

export interface LoginListenerDeps {
  /** Ends the login of the address that a browser came back to. */
  readonly finish: (callback: URL) => Promise<FinishedMcpLogin>;
  /** Called with the state of a login, and its end. */
  readonly ended: (state: string, end: FinishedMcpLogin) => void;
}

/** Listens at a port of this machine for the browser that comes back from a login, as RFC 8252 describes it. */
export class LoginListener implements AsyncDisposable {
  readonly #deps: LoginListenerDeps;
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  private constructor(deps: LoginListenerDeps) {
    this.#deps = deps;
  }

  /** Starts at a port, else at any free one. It keeps no process from ending. */
  static async start(port: number, deps: LoginListenerDeps): Promise<LoginListener> {
    const listener = new LoginListener(deps);
    try {
      await listener.#listen(port);
    } catch (error) {
      if (!TAKEN.has(String((error as NodeJS.ErrnoException).code))) throw error;
      await listener.#listen(0);
    }
    listener.#server.unref();
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address to come back to. An address and no name, which another program could have another meaning for. */
  get url(): string {
    return `http://127.0.0.1:${this.port}${PATH}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // any page can ask this port for something that is no address, such as `//`
    const url = URL.parse(request.url ?? '/', this.url);
    if (url?.pathname !== PATH || request.method !== 'GET') return void response.writeHead(404, HEADERS).end();
    const end = await this.#deps.finish(url).catch((): FinishedMcpLogin => ({ ok: false, message: NOT_STORED }));
    response.writeHead(end.ok ? 200 : 400, HEADERS).end(page(end));
    this.#deps.ended(url.searchParams.get('state') ?? '', end);
  }
}

const TAKEN: ReadonlySet<string> = new Set(['EADDRINUSE', 'EACCES']);
const NOT_STORED = 'The login could not be stored on this machine.';

/** Returns a page without scripts, links and anything to load. */
function page({ ok, message }: FinishedMcpLogin): string {
  const title = ok ? 'Access is allowed' : 'No access';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>
<style>body{font:18px/1.5 system-ui;margin:20vh auto;max-width:32rem;padding:0 1rem;color-scheme:light dark}</style>
<h1>${title}</h1><p>${escaped(message)}</p></html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
