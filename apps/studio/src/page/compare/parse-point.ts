/** A point of a conversation in a URL. */
export interface ComparedPoint {
  readonly id: string;
  /** The number of the event; `undefined` for the end of the log. */
  readonly event: number | undefined;
}

/** Reads `ID` or `ID:EVENT`; `undefined` for anything else. */
export function parsePoint(text: string): ComparedPoint | undefined {
  const [, id, event] = /^([0-9a-f-]{32,36})(?::(\d{1,9}))?$/i.exec(text) ?? [];
  return id === undefined ? undefined : { id, event: event === undefined ? undefined : Number(event) };
}

/** Writes a point as {@link parsePoint} reads it. */
export function formatPoint({ id, event }: ComparedPoint): string {
  return event === undefined ? id : `${id}:${event}`;
}
