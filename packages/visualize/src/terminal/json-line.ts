import { plainJson } from '../text/plain-text.ts';
import { type Event, eventToJson } from '@conv/core/events';

/** An event as one line of JSON: the same value as in the log, safe to print. */
export function jsonLine(event: Event): string {
  return `${plainJson(eventToJson(event))}\n`;
}
