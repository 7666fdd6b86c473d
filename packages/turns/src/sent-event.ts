/** A server-sent event. */
export interface SentEvent {
  readonly event?: string;
  readonly id?: number;
  /** Text as it is; all other data as JSON. */
  readonly data: unknown;
}

const encoder = new TextEncoder();

/** Returns text as it is sent. */
export function encoded(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Returns an event as it is sent. */
export function frameOf(sent: SentEvent): Uint8Array {
  const { event, id } = sent;
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
  return encoded(`${head}data: ${endOf(sent)}`);
}

/** Returns the data of an event with the end of its frame. */
export function endOf({ data }: SentEvent): string {
  return `${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
