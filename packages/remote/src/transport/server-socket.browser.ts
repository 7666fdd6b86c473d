import { ConversationError } from '@conv/core';

import { parseFrame, socketEnd, type SocketConnection, type SocketEvents } from './socket-end.ts';

/**
 * Connection of a socket in browsers and workers. Browsers send no custom headers with a socket, so the first frame carries the
 * key. They hide pings, so silence does not end the socket; instead, REST is asked after each heartbeat without a frame.
 */
export class ServerSocket {
  readonly #socket: WebSocket;
  readonly #events: SocketEvents;
  readonly #url: URL;
  readonly #mask: SocketConnection['mask'];
  #ended = false;

  constructor(url: URL, { headers, agent, mask }: SocketConnection, events: SocketEvents) {
    if (agent)
      throw new ConversationError(
        'UNSUPPORTED',
        'RemoteWorkspace: socketAgent: a browser makes its own connections; leave it out',
      );
    this.#events = events;
    this.#url = url;
    this.#mask = mask;
    this.#socket = new WebSocket(url);
    const key = headers['x-session-api-key'];
    if (key !== undefined)
      this.#socket.addEventListener('open', () =>
        this.#socket.send(JSON.stringify({ type: 'auth', session_api_key: key })),
      );
    this.#socket.addEventListener('message', ({ data }: { readonly data: unknown }) => this.#deliver(data));
    this.#socket.addEventListener('close', ({ code, reason }) => this.#end(code, this.#mask(reason)));
  }

  /** Closes it, without waiting for the server to agree. */
  close(): void {
    this.#socket.close(1000);
    this.#end(1000, 'closed here');
  }

  #deliver(data: unknown): void {
    const parsed = typeof data === 'string' && !this.#ended ? parseFrame(data) : undefined;
    if (parsed) this.#events.frame(parsed.frame);
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.ended(socketEnd(this.#url, { code, reason }));
  }
}
