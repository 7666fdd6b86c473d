import type { Platform } from '@conv/core/platform';
import { Agent, FormData, request, type Dispatcher } from 'undici';

export { wasSent } from '@conv/openhands/rest';

import type { FormFile, HttpAnswer, HttpRequest } from './http-messages.ts';

export interface HttpOptions {
  readonly platform: Platform;
  /** Dispatcher, which the caller closes. Default: this client makes its own. */
  readonly dispatcher: Dispatcher | undefined;
  /** Certificates, PEM, of the authorities to trust instead of the usual ones. */
  readonly ca: string | readonly string[] | undefined;
}

/** Makes requests in Node; `http.browser.ts` does so in browsers. Does not follow redirects. */
export class HttpClient {
  readonly #dispatcher: Dispatcher;
  readonly #own: Agent | undefined;

  constructor({ dispatcher, ca }: HttpOptions) {
    if (!dispatcher)
      this.#own = new Agent(ca === undefined ? {} : { connect: { ca: typeof ca === 'string' ? ca : [...ca] } });
    this.#dispatcher = dispatcher ?? (this.#own as Agent);
  }

  /** Resolves with the answer, whatever its status. Rejects if there is none. */
  async send({ url, method, headers, body, signal, answerTimeout, ...reading }: HttpRequest): Promise<HttpAnswer> {
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      dispatcher: this.#dispatcher,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : formOf(body) }),
      ...(signal ? { signal } : {}),
      headersTimeout: answerTimeout,
      bodyTimeout: answerTimeout,
    });
    const found = answer.headers;
    return {
      status: answer.statusCode,
      body: await collect(answer.body, reading),
      header: (name) => [found[name]].flat()[0],
    };
  }

  /** Closes the connections that this client made. */
  async close(): Promise<void> {
    await this.#own?.close();
  }
}

/** Reads an answer. Leaving the loop early ends the connection. */
async function collect(
  body: AsyncIterable<Uint8Array>,
  { mostBytes = Infinity, onData }: Pick<HttpRequest, 'mostBytes' | 'onData'>,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > mostBytes) throw new Error(`the answer has more than ${mostBytes} bytes`);
    chunks.push(chunk);
    onData?.(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function formOf({ name, bytes }: FormFile): FormData {
  const form = new FormData();
  form.set('file', new Blob([bytes]), name);
  return form;
}
