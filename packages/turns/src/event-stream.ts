/** A server-sent event. */
export interface SentEvent {
  readonly event?: string;
  readonly id?: number;
  /** Text as it is; all other data as JSON. */
  readonly data: unknown;
}

/** Headers of a stream. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Returns server-sent events as a response, read at the pace of the client. A client that leaves ends the events, and not the run.
 * @param events returns the events, which end when the signal is aborted
 * @param signal ends the events too
 */
export function eventStreamResponse(
  events: (signal: AbortSignal) => AsyncGenerator<SentEvent>,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const left = new AbortController();
  const iterator = events(signal ? AbortSignal.any([left.signal, signal]) : left.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next().catch((error: unknown) => ({ error }));
      if (left.signal.aborted) return;
      if ('error' in next) controller.error(next.error);
      else if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(frameOf(next.value)));
    },
    async cancel() {
      left.abort();
      // an iteration that is left unread keeps its subscription
      await iterator.return(undefined).catch(() => {});
    },
  });
  return new Response(body, { headers: { ...HEADERS, ...headers } });
}

function frameOf({ event, id, data }: SentEvent): string {
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
  return `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
