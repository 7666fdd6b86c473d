import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';

import { checks } from '@conv/core';
import { framesOf, type ResponseFrames } from '@conv/turns';

/** Frames as chunks of HTTP. Clients that are given the same bytes share the chunk too. */
const chunks = new WeakMap<Uint8Array, Buffer>();

const LINE_END = '\r\n';

/** Returns bytes as a chunk of HTTP (RFC 9112, 7.1). */
function chunkOf(bytes: Uint8Array): Buffer {
  const known = chunks.get(bytes);
  if (known) return known;
  const head = bytes.length.toString(16) + LINE_END;
  const chunk = Buffer.allocUnsafe(head.length + bytes.length + LINE_END.length);
  chunk.write(head, 'latin1');
  chunk.set(bytes, head.length);
  chunk.write(LINE_END, head.length + bytes.length, 'latin1');
  chunks.set(bytes, chunk);
  return chunk;
}

/**
 * Frames as the body of an answer, which is sent at the pace of its client. They go to the connection as they are: made into a chunk of HTTP once for all
 * clients, and handed to the operating system by one call. Where an answer has no connection of its own, such as in HTTP/2, it is an ordinary stream
 * (decision 176). Destroying it cuts the connection, so that the client does not take what came for the whole.
 */
export class FrameAnswer extends Readable {
  readonly #frames: ResponseFrames;
  readonly #drained = (): void => this.#frames.more();
  #socket: Socket | undefined;
  /** True if the frames have ended. */
  #isTold = false;

  constructor(frames: ResponseFrames) {
    super();
    this.#frames = frames;
    // the server listens when it begins to send, and looks at the error then
    this.on('error', () => {});
    frames.begin({
      take: (bytes) => this.#send(bytes),
      end: (failure) => (failure ? this.destroy(toError(failure.error)) : this.#finish()),
    });
  }

  override pipe<T extends NodeJS.WritableStream>(response: T, options?: { end?: boolean | undefined }): T {
    // what failed before has an answer of its own
    const socket = this.destroyed ? undefined : connectionOf(response);
    if (!socket) return super.pipe(response, options);
    this.#socket = socket;
    this.once('end', () => void response.end());
    this.#frames.more();
    // frames that ended before ask for no more reads, and a stream that is not read does not end
    if (this.#isTold) this.resume();
    return response;
  }

  override _read(): void {
    this.#frames.more();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#socket?.off('drain', this.#drained);
    void this.#frames.leave();
    callback(error);
  }

  #send(bytes: Uint8Array): boolean {
    const socket = this.#socket;
    if (!socket) return this.push(bytes);
    // a connection that is closing ends the answer
    if (!socket.writable) return false;
    // for many clients a call for each frame costs less than gathering
    if (!this.#frames.areShared) gather(socket);
    if (socket.write(chunkOf(bytes))) return true;
    socket.once('drain', this.#drained);
    return false;
  }

  #finish(): void {
    this.#isTold = true;
    this.push(null);
    // a stream that is not read does not end
    if (this.#socket) this.resume();
  }
}

/**
 * Returns the body of a web response as a stream of Node; null if it has none. The frames of an adapter's answer go to their connections without a web
 * stream in between when the stream is piped into Node's response, as Fastify does with what a handler returns. Throws `TypeError` for what is no response.
 */
export function nodeBody(response: Response): Readable | null {
  if (typeof response !== 'object' || response === null)
    throw new TypeError(checks.wrongValue('nodeBody', 'a web response', response));
  const frames = framesOf(response);
  if (frames) return new FrameAnswer(frames);
  return response.body && Readable.fromWeb(response.body);
}

/** Hands what is written in this turn to the operating system by one call, as Node's response does: first pieces of an answer come together. */
function gather(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(uncork, socket);
}

function uncork(socket: Socket): void {
  socket.uncork();
}

/** Sends the head of an answer. Returns its connection if the body goes to it in chunks, and nothing else waits there. */
function connectionOf(response: NodeJS.WritableStream): Socket | undefined {
  if (!(response instanceof ServerResponse)) return undefined;
  const { socket } = response;
  // an answer that waits for the one before it has no connection yet
  if (!(socket instanceof Socket)) return undefined;
  gather(socket);
  response.flushHeaders();
  return response.chunkedEncoding ? socket : undefined;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('the frames ended too early', { cause: error });
}
