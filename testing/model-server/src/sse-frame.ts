/** A server-sent event. */
export interface SseFrame {
  readonly event?: string;
  readonly data: unknown;
}

/** The bytes of a frame; data that is no string is sent as JSON. */
export function sseText({ event, data }: SseFrame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}
