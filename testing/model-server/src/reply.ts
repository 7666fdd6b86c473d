import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiError, Endpoint, RenderedAnswer } from './endpoint.ts';
import { sseText, type SseFrame } from './sse-frame.ts';

/** The sending side of one HTTP exchange. */
export class Reply {
  readonly #response: ServerResponse;
  readonly #gone = new AbortController();

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', () => {
      if (!response.writableFinished) this.#gone.abort();
    });
  }

  /** Aborts when the connection is gone before the answer was sent whole. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** True if anything was sent. */
  get started(): boolean {
    return this.#response.headersSent;
  }

  /** Sends a whole JSON answer; resolves when it is handed to the system. */
  async json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    await this.#whole(status, text, { 'content-type': 'application/json', ...headers });
  }

  /** Sends an error in the endpoint's format. */
  async error(
    endpoint: Pick<Endpoint, 'errorBody'>,
    error: ApiError,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await this.json(error.status, endpoint.errorBody(error), headers);
  }

  /** Sends bytes that are no answer, labelled as one. */
  async raw(text: string, stream: boolean): Promise<void> {
    await this.#whole(200, text, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  }

  /** Sends a whole stream; rejects with the signal's reason when the client leaves before its end. */
  async stream(frames: readonly SseFrame[], chunkDelay: number): Promise<void> {
    await this.frames(frames, chunkDelay);
    this.#response.end();
    await finished(this.#response);
  }

  /** Sends some frames of a stream and leaves it open. */
  async frames(frames: readonly SseFrame[], chunkDelay: number): Promise<void> {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const [index, frame] of frames.entries()) {
      if (index > 0 && chunkDelay > 0) await sleep(chunkDelay, undefined, { signal: this.gone });
      await this.#write(sseText(frame));
    }
  }

  /** Sends the first half of an answer: of its frames, or of the bytes of its body. */
  async half(answer: RenderedAnswer, stream: boolean, chunkDelay: number): Promise<void> {
    if (stream) {
      await this.frames(answer.frames.slice(0, Math.ceil(answer.frames.length / 2)), chunkDelay);
      return;
    }
    const bytes = Buffer.from(JSON.stringify(answer.body));
    this.#response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length });
    await this.#write(bytes.subarray(0, Math.floor(bytes.length / 2)));
  }

  /** Cuts the connection. */
  cut(): void {
    this.#response.destroy();
  }

  /** Waits until the connection is gone. */
  async untilGone(): Promise<void> {
    if (!this.gone.aborted) await once(this.gone, 'abort');
  }

  async #whole(status: number, text: string, headers: Readonly<Record<string, string>>): Promise<void> {
    this.gone.throwIfAborted();
    this.#response.writeHead(status, headers);
    this.#response.end(text);
    await finished(this.#response);
  }

  /** Resolves when the bytes are handed to the system, which is also what keeps memory bounded. */
  #write(chunk: string | Buffer): Promise<void> {
    this.gone.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#response.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }
}
