import type { NumberedEvent } from '@conv/visualize/timeline';

/** Two paths beside each other. */
export interface AlignedPaths {
  /** The events that both have at their beginning, as far as they were read, with their numbers in each log. */
  readonly common: readonly { readonly a: NumberedEvent; readonly b: NumberedEvent }[];
  /** The events after the last common one. */
  readonly a: readonly NumberedEvent[];
  readonly b: readonly NumberedEvent[];
}

/**
 * Aligns two paths at the last event that both have. A fork has the events of its source under the same ids, so the last common
 * event of a conversation and its fork is where it was forked, and of two branches, where they part.
 */
export function alignPaths(a: readonly NumberedEvent[], b: readonly NumberedEvent[]): AlignedPaths {
  const places = new Map(b.map(({ event }, place) => [event.id, place]));
  const lastA = a.findLastIndex(({ event }) => places.has(event.id));
  const lastB = lastA === -1 ? -1 : (places.get(a[lastA]?.event.id ?? '') ?? -1);
  const common = a.slice(0, lastA + 1).flatMap((entry) => {
    const twin = b[places.get(entry.event.id) ?? -1];
    return twin ? [{ a: entry, b: twin }] : [];
  });
  return { common, a: a.slice(lastA + 1), b: b.slice(lastB + 1) };
}
