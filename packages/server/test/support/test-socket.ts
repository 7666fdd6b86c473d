import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';

import { eventsSocket, sessionSocket } from '@conv/openhands/sockets';
import { WebSocket, type ClientOptions } from 'ws';

/** A frame of the server, parsed. */
export type Frame = Record<string, unknown>;

/** Options of a {@link TestSocket}. */
export interface TestSocketOptions extends ClientOptions {
  /** Sent as soon as the socket is open. */
  readonly first?: string;
  /** Its frames are not of the protocol. Default `false`. */
  readonly anything?: boolean;
}

/** A client's end of a socket, which records received frames and checks them against the protocol's schemas. */
export class TestSocket {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  /** The status of the answer to an upgrade that was refused. */
  readonly refused: Promise<number>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #changed: (() => void)[] = [];
  #isClosed = false;
  #wrong: Error | undefined;

  constructor(url: string, { first, anything = false, ...options }: TestSocketOptions = {}) {
    const { serverFrame } = url.includes('/sockets/session/') ? sessionSocket : eventsSocket;
    this.socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    this.socket.on('error', () => {});
    this.refused = new Promise((resolve) => {
      this.socket.on('unexpected-response', (_: unknown, response: IncomingMessage) => {
        resolve(response.statusCode ?? 0);
        response.resume();
        this.socket.terminate();
      });
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        this.#isClosed = true;
        this.#wake();
        resolve({ code, reason: reason.toString() });
      });
    });
    this.socket.on('message', (data) => {
      const frame = JSON.parse((data as Buffer).toString()) as Frame;
      this.frames.push(frame);
      const { error } = serverFrame.safeParse(frame);
      if (error && !anything)
        this.#wrong ??= new Error(`not of the protocol: ${JSON.stringify(frame)}`, { cause: error });
      this.#wake();
    });
    if (first !== undefined) this.socket.on('open', () => this.socket.send(first));
  }

  async opened(): Promise<this> {
    if (this.socket.readyState !== WebSocket.OPEN) await once(this.socket, 'open');
    return this;
  }

  send(value: unknown): void {
    this.socket.send(typeof value === 'string' ? value : JSON.stringify(value));
  }

  /** Resolves when the frames are as asked. Rejects when the connection is closed before. */
  async until(ready: (frames: readonly Frame[]) => boolean): Promise<readonly Frame[]> {
    while (!ready(this.frames)) {
      if (this.#wrong) throw this.#wrong;
      if (this.#isClosed) throw new Error(`closed after ${this.frames.length} frames`);
      await new Promise<void>((resolve) => this.#changed.push(resolve));
    }
    if (this.#wrong) throw this.#wrong;
    return this.frames;
  }

  /** Resolves with the first frame that is as asked. */
  async find(matches: (frame: Frame) => boolean): Promise<Frame> {
    const frames = await this.until((all) => all.some(matches));
    return frames.find(matches) as Frame;
  }

  terminate(): void {
    this.socket.terminate();
  }

  #wake(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }
}

/** True if a frame is, or carries, a state update with this key. */
export function isState(frame: Frame, key: string): boolean {
  const event = eventOf(frame);
  return event['kind'] === 'ConversationStateUpdateEvent' && event['key'] === key;
}

/** The event of a frame: itself on the events socket. */
export function eventOf(frame: Frame): Frame {
  return (typeof frame['type'] === 'string' ? (frame['event'] ?? {}) : frame) as Frame;
}

/** The texts of the messages that frames carry. */
export function textsOf(frames: readonly Frame[]): readonly string[] {
  return frames.flatMap((frame) => {
    const { llm_message: message } = eventOf(frame) as { llm_message?: { content: readonly { text: string }[] } };
    return message ? [message.content.map(({ text }) => text).join('')] : [];
  });
}
