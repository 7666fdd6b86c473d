import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as it is sent. */
export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** Takes spans, as a collector does. */
export class TraceReceiver {
  readonly #bodies: string[] = [];
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/traces') this.#bodies.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  /** Listens on a port of its own. Resolves with the endpoint. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** All that was sent. */
  get received(): string {
    return this.#bodies.join('\n');
  }

  get spans(): readonly SentSpan[] {
    return this.#all.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }

  /** The names that the senders gave themselves. */
  get services(): readonly unknown[] {
    return this.#all.flatMap(({ resource }) =>
      resource.attributes
        .filter(({ key }) => key === 'service.name')
        .map(({ value }) => Object.values(value)[0] as unknown),
    );
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  get #all(): Sent['resourceSpans'] {
    return this.#bodies.flatMap((body) => (JSON.parse(body) as Sent).resourceSpans);
  }
}

/** The attributes of a span by their names. */
export function attributesOf({ attributes }: SentSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));
}
