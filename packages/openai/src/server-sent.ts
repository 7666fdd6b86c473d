/** Headers of a stream. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Returns server-sent events as a response, read at the pace of the client. A client that leaves ends the events, and not the run.
 * @param events yields the name of an event, `''` for none, and its data
 */
export function serverSent(
  given: AbortSignal,
  events: (signal: AbortSignal) => AsyncGenerator<readonly [string, unknown]>,
): Response {
  const left = new AbortController();
  const iterator = events(AbortSignal.any([left.signal, given]));
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await iterator.next().catch((error: unknown) => ({ error }));
      if (left.signal.aborted) return;
      if ('error' in next) return controller.error(next.error);
      if (next.done === true) return controller.close();
      const [name, data] = next.value;
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      controller.enqueue(encoder.encode(`${name === '' ? '' : `event: ${name}\n`}data: ${text}\n\n`));
    },
    async cancel() {
      left.abort();
      // an iteration that is left unread keeps its subscription
      await iterator.return(undefined).catch(() => {});
    },
  });
  return new Response(body, { headers: HEADERS });
}
