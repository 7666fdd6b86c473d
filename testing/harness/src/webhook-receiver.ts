import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that a receiver got. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The id of the request, the same for its repetitions. */
  readonly id: string;
}

/** Returns the status for a request, with headers; `lost` cuts the connection without an answer, and `never` leaves it open. */
export type WebhookAnswer = (
  received: ReceivedWebhook,
  earlier: number,
) => number | 'lost' | 'never' | { readonly status: number; readonly headers: Record<string, string> };

/** A receiver of webhooks on a port of this machine. */
export class WebhookReceiver {
  /** Every request, in the order in which they came. */
  readonly received: ReceivedWebhook[] = [];
  /** The requests that were answered with 200 to 299. */
  readonly taken: ReceivedWebhook[] = [];
  /** May be changed at any time. Default: 204. */
  answer: WebhookAnswer = () => 204;
  readonly #server: Server;
  #news = Promise.withResolvers<void>();

  private constructor() {
    this.#server = createServer((request, response) => {
      void text(request).then(
        (body) =>
          this.#receive(
            { path: request.url ?? '', headers: request.headers, body, id: String(request.headers['webhook-id']) },
            response,
          ),
        () => {},
      );
    });
  }

  /** Starts a receiver. Resolves when it listens. */
  static async start(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await once(receiver.#server.listen(port, '127.0.0.1'), 'listening');
    return receiver;
  }

  /** The port, for lists of hosts. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Resolves with what `look` returns, when that is true. It is asked again after each request. */
  async until<T>(look: () => T | undefined | false): Promise<T> {
    for (;;) {
      const news = this.#news.promise;
      const seen = look();
      if (seen) return seen;
      await news;
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #receive(received: ReceivedWebhook, response: ServerResponse): void {
    const earlier = this.received.filter(({ id }) => id === received.id).length;
    this.received.push(received);
    const answer = this.answer(received, earlier);
    if (answer === 'lost') response.destroy();
    else if (answer !== 'never') {
      const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
      if (status >= 200 && status < 300) this.taken.push(received);
      response.writeHead(status, headers).end();
    }
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
