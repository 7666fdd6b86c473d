import { type Event, eventToJson } from '@conv/core/events';

/** What JSON leaves as it is and a terminal may obey or hide. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** An event as one line of JSON: the same value as in the log, safe to print. */
export function jsonLine(event: Event): string {
  const escaped = eventToJson(event).replace(unsafe, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
  return `${escaped}\n`;
}
