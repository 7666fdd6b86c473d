import type { Agent as HttpAgent } from 'node:http';
import { WebSocket, type RawData } from 'ws';
import { timers, type Timer } from '@conv/core/platform';

import { parseFrame, socketEnd, type SocketConnection, type SocketEvents } from './socket-end.ts';

const HANDSHAKE_TIMEOUT = 10_000;

/** Maximum frame size in bytes, many times the largest event and state. */
const MAX_FRAME = 64 * 1024 * 1024;

/**
 * Milliseconds between checks for silence. A stopped process keeps its connections, so only an unanswered ping shows it, long
 * before two heartbeats have passed.
 */
const SILENCE = 5_000;

/**
 * Connection of a socket. Reports silence when a ping stays unanswered, and closes after two heartbeats without any sign of the
 * server.
 */
export class ServerSocket {
  readonly #socket: WebSocket;
  readonly #events: SocketEvents;
  readonly #timer: Timer;
  readonly #listener: Timer;
  readonly #url: URL;
  readonly #mask: SocketConnection['mask'];
  #refused: number | undefined;
  #cause: unknown;
  #heard = true;
  /** `listening`: a ping was sent, and nothing came since. */
  #silence: 'none' | 'listening' | 'told' = 'none';
  #ended = false;

  constructor(url: URL, { platform, headers, agent, ca, heartbeat, mask }: SocketConnection, events: SocketEvents) {
    this.#events = events;
    this.#url = url;
    this.#mask = mask;
    this.#socket = new WebSocket(url, {
      headers: { ...headers },
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      maxPayload: MAX_FRAME,
      perMessageDeflate: false,
      // ws takes the class of Node, whose shape the type of the option is
      ...(agent ? { agent: agent as HttpAgent } : {}),
      ...(ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : [...ca] }),
    });
    this.#listen();
    this.#timer = timers.every(platform, heartbeat, () => this.#beat(), { background: true });
    const interval = Math.min(SILENCE, heartbeat);
    this.#listener = timers.every(platform, interval, () => this.#listenForSilence(), { background: true });
  }

  /** Closes it, without waiting for the server to agree. */
  close(): void {
    this.#socket.close(1000);
    this.#end(1000, 'closed here');
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    const heard = (): void => {
      this.#heard = true;
      this.#silence = 'none';
    };
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
    socket.on('close', (code, reason) => this.#end(code, this.#mask(reason.toString())));
  }

  #deliver(text: string): void {
    const parsed = parseFrame(text);
    if (parsed) this.#events.frame(parsed.frame);
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

  #listenForSilence(): void {
    if (this.#socket.readyState !== WebSocket.OPEN || this.#silence === 'told') return;
    if (this.#silence === 'listening') {
      this.#silence = 'told';
      this.#events.silent();
      return;
    }
    this.#silence = 'listening';
    this.#socket.ping();
  }

  #end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#timer.cancel();
    this.#listener.cancel();
    this.#events.ended(socketEnd(this.#url, { code, reason, refused: this.#refused, cause: this.#cause }));
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
}
