import type { Agent as SocketAgent } from 'node:http';

import { WebSocket, type RawData } from 'ws';

import { ServerFailure } from './server-failure.ts';

/** Settings to open a socket with. */
export interface SocketConnection {
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: SocketAgent | undefined;
  readonly ca: string | readonly string[] | undefined;
  /** Milliseconds between pings; a server that is silent for two of them is given up. */
  readonly heartbeat: number;
}

/** Callbacks of a socket. */
export interface SocketEvents {
  /** Called with each text frame that is JSON; other frames are left out. */
  readonly frame: (frame: unknown) => void;
  /** Called once with the end, whatever its cause. */
  readonly ended: (end: SocketEnd) => void;
}

/** End of a socket. */
export interface SocketEnd {
  /** The code of the close frame; 1006 when there was none. */
  readonly code: number;
  readonly reason: string;
  /** The status of the answer that refused the socket. */
  readonly refused: number | undefined;
  readonly failure: ServerFailure;
}

const HANDSHAKE_TIMEOUT = 10_000;

/** Largest frame in bytes; the largest event and a state fit many times. */
const MAX_FRAME = 64 * 1024 * 1024;

/** Connection of a socket. It is closed when nothing was heard for two heartbeats. */
export class ServerSocket {
  readonly #socket: WebSocket;
  readonly #events: SocketEvents;
  readonly #timer: NodeJS.Timeout;
  readonly #where: string;
  #refused: number | undefined;
  #cause: unknown;
  #heard = true;
  #ended = false;

  constructor(url: URL, { headers, agent, ca, heartbeat }: SocketConnection, events: SocketEvents) {
    this.#events = events;
    this.#where = `${url.origin}${url.pathname}`;
    this.#socket = new WebSocket(url, {
      headers: { ...headers },
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      maxPayload: MAX_FRAME,
      perMessageDeflate: false,
      ...(agent ? { agent } : {}),
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    });
    this.#listen();
    this.#timer = setInterval(() => this.#beat(), heartbeat);
    this.#timer.unref();
  }

  /** Closes it, without waiting for the server to agree. */
  close(): void {
    this.#socket.close(1000);
    this.#end(1000, 'closed here');
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    const heard = (): void => void (this.#heard = true);
    socket.on('message', (data, isBinary) => {
      heard();
      if (!isBinary && !this.#ended) this.#deliver(textOf(data));
    });
    socket.on('pong', heard);
    socket.on('ping', heard);
    socket.on('unexpected-response', (request, response) => {
      this.#refused = response.statusCode;
      response.resume();
      request.destroy();
      this.#end(1006, `refused with ${response.statusCode}`);
    });
    socket.on('error', (error) => void (this.#cause = error));
    socket.on('close', (code, reason) => this.#end(code, reason.toString()));
  }

  #deliver(text: string): void {
    let frame: unknown;
    try {
      frame = JSON.parse(text);
    } catch {
      // half a frame says nothing; what it stood for is read again behind the cursor
      return;
    }
    this.#events.frame(frame);
  }

  #beat(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (!this.#heard) {
      this.#end(1006, 'nothing was heard');
      this.#socket.terminate();
      return;
    }
    this.#heard = false;
    this.#socket.ping();
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#timer);
    const refused = this.#refused;
    const message = `${this.#where}: closed with ${code}${reason === '' ? '' : ` ${reason}`}`;
    const about = { sent: true, detail: reason, ...(refused === undefined ? {} : { status: refused }) };
    const failure = new ServerFailure(message, about, { cause: this.#cause });
    this.#events.ended({ code, reason, refused, failure });
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}
