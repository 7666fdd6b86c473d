import { ConversationError } from '@conv/core';
import type { Platform } from '@conv/core/platform';

import type { HttpOptions } from './http.ts';
import type { HttpAnswer, HttpRequest } from './http-messages.ts';

/**
 * Makes requests in browsers and workers. Sends cookies only to the page's own origin, where a session can replace the key. Fails
 * on a redirect, because the key would follow it.
 */
export class HttpClient {
  readonly #platform: Platform;

  constructor({ platform, dispatcher, ca }: HttpOptions) {
    this.#platform = platform;
    if (dispatcher !== undefined || ca !== undefined)
      throw new ConversationError(
        'UNSUPPORTED',
        'RemoteWorkspace: dispatcher, ca: a browser makes its own connections; leave them out',
      );
  }

  /** Resolves with the answer, whatever its status. Rejects if there is none. */
  async send({ url, method, headers, body, signal, answerTimeout }: HttpRequest): Promise<HttpAnswer> {
    const late = new AbortController();
    const giveUp = (): void => late.abort(new Error(`no answer within ${answerTimeout} ms`));
    let timer = this.#platform.setTimer(answerTimeout, giveUp);
    try {
      const init: RequestInit & { readonly cache: 'no-store' } = {
        method,
        headers,
        body: body === undefined ? null : typeof body === 'string' ? body : formOf(body),
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        credentials: 'same-origin',
        cache: 'no-store',
        redirect: 'error',
      };
      const answer = await fetch(url, init);
      timer.cancel();
      timer = this.#platform.setTimer(answerTimeout, giveUp);
      const { status, headers: found } = answer;
      const bytes = new Uint8Array(await answer.arrayBuffer());
      return { status, body: bytes, header: (name) => found.get(name) ?? undefined };
    } finally {
      timer.cancel();
    }
  }

  /** Does nothing, because the browser has the connections. */
  async close(): Promise<void> {}
}

function formOf({ name, bytes }: Exclude<HttpRequest['body'], string | undefined>): FormData {
  const form = new FormData();
  form.set('file', new Blob([bytes]), name);
  return form;
}

/** True, because browsers do not tell if a failed request was sent. */
export function wasSent(_error: unknown): boolean {
  return true;
}
