import { isDeepStrictEqual } from 'node:util';

import type { Acknowledged } from './job-worker.ts';
import type { Claim } from './narrator.ts';
import type { EventInFile } from './outside-reader.ts';

/** Claims that every acknowledged event is in the log at its place, as it was acknowledged. */
export function allInLog(acknowledged: readonly Acknowledged[], log: readonly unknown[], which: string): Claim {
  const missing = acknowledged.filter(
    ({ event, index }) => !isDeepStrictEqual(plainCopy(log[index]), plainCopy(event)),
  );
  const count = acknowledged.length;
  return {
    text: `${count - missing.length} of ${count} events that ${which} are in the log, unchanged and in order`,
    holds: count > 0 && missing.length === 0,
    found: `moved or changed: ${missing.map(({ index }) => `#${index}`).join(', ') || 'none was acknowledged'}`,
  };
}

/** The same for the files of single events, and that these have no gap and no event twice. */
export function allInFiles(acknowledged: readonly Acknowledged[], files: readonly EventInFile[]): Claim {
  const inOrder = files.every(({ index }, position) => index === position);
  const unique = new Set(files.map(({ id }) => id)).size === files.length;
  const inFiles = allInLog(
    acknowledged,
    files.map(({ event }) => event),
    'were acknowledged',
  );
  return {
    text: `the same is true for the ${files.length} event files in the folder, read without the store: none is missing, none appears twice`,
    holds: inFiles.holds && inOrder && unique,
    found: inOrder && unique ? (inFiles.found ?? '') : 'a gap or an event twice',
  };
}

function plainCopy(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
