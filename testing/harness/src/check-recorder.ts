import { isDeepStrictEqual } from 'node:util';

import type { Event } from '@conv/core/events';

import type { DeliveryFindings } from './findings.ts';
import type { Recorder } from './recorder.ts';

/** Compares what a subscriber was given with the log: every event from its first one on, once, in order, as it is there. */
export function checkRecorder(
  { name, from, given }: Recorder,
  log: readonly Event[],
  findings: DeliveryFindings,
): void {
  const places = new Map(log.map(({ id }, place) => [id, place]));
  const seen = new Set<string>();
  let last = from - 1;
  for (const { index, event } of given) {
    const what = `${name}: event ${index} (${event.kind} ${event.id})`;
    const place = places.get(event.id);
    if (seen.has(event.id)) findings.add('duplicated', `${what} came before`);
    else if (place === undefined) findings.add('misordered', `${what} is not in the log`);
    else if (place !== index || place < last) findings.add('misordered', `${what} is ${place} there, after ${last}`);
    else if (!isDeepStrictEqual(event, log[place])) findings.add('missing', `${what} is another one there`);
    seen.add(event.id);
    last = Math.max(last, place ?? last);
  }
  for (const [place, { id, kind }] of log.entries())
    if (place >= from && !seen.has(id)) findings.add('missing', `${name}: event ${place} (${kind} ${id}) never came`);
}
