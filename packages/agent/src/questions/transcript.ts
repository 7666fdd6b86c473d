import { type Event, isEvent } from '@conv/core/events';
import { eventText } from '../condensers/event-text.ts';
import { type MaskText, truncateMasked } from '../base/mask-text.ts';

/** The most characters of one event that are read. */
const MAX_TEXT = 20_000;
/** The share of the room for the beginning, where the work was agreed. The end shows the present state. */
const HEAD = 0.25;

/**
 * Returns the events as text of about `room` characters at most. A text that is too long loses its middle: whole events
 * where possible, with a note of their number.
 */
export function transcriptOf(events: readonly Event[], room: number, mask: MaskText): string {
  const head = Math.floor(room * HEAD);
  const longest = Math.min(MAX_TEXT, Math.max(1, head));
  const texts = events
    .filter((event) => !isEvent(event, 'SystemPromptEvent'))
    .map(eventText)
    .filter((text) => text !== '')
    .map((text) => truncateMasked(text, longest, mask, ' […] '));
  const all = lengthOf(texts);
  if (all <= room) return texts.join('\n\n');
  const first = countFitting(texts, head);
  const last = countFitting(texts.slice(first).toReversed(), room - head);
  const left = texts.length - first - last;
  const note = `[… ${left} ${left === 1 ? 'event is' : 'events are'} left out here …]`;
  return [...texts.slice(0, first), note, ...texts.slice(texts.length - last)].join('\n\n');
}

/** Returns how many texts from the beginning fit into `room` characters. */
function countFitting(texts: readonly string[], room: number): number {
  let used = 0;
  const end = texts.findIndex((text) => (used += text.length + 2) > room + 2);
  return end === -1 ? texts.length : end;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 2, 0);
}
