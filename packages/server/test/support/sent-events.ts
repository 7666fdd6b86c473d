/** A server-sent event. */
export interface SentEvent {
  /** The number of a stored event. */
  readonly id?: number;
  readonly name: string;
  readonly data: Record<string, unknown>;
}

/** Yields the server-sent events of an answer. Leaving the loop ends the request. */
export async function* sentEvents(answer: Response): AsyncGenerator<SentEvent> {
  let rest = '';
  const text = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
  for await (const part of text) {
    const blocks = (rest + part).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const data = fields.get('data');
      if (data === undefined) continue;
      const id = fields.get('id');
      const name = fields.get('event') ?? 'message';
      yield { name, data: JSON.parse(data) as SentEvent['data'], ...(id === undefined ? {} : { id: Number(id) }) };
    }
  }
}

/** Takes events until one is as wanted, which is the last, and ends the request. */
export async function takeUntil(
  answer: Response,
  wanted: (event: SentEvent) => boolean,
): Promise<readonly SentEvent[]> {
  const taken: SentEvent[] = [];
  for await (const event of sentEvents(answer)) {
    taken.push(event);
    if (wanted(event)) break;
  }
  return taken;
}
