import { createHash } from 'node:crypto';
import type { Event } from '@conv/core/events';
import { standIns } from '@conv/store-kit';
import type { FsReader } from './reader.ts';

/** Makes the events that the event files hold in place of lost ones, by number (decision 54). Reads the whole log. */
export function standInFiles(reader: FsReader): Promise<ReadonlyMap<number, Event>> {
  return standIns({
    reader,
    idOf: (number) => createHash('sha256').update(`${reader.id} ${number}`).digest('hex').slice(0, 32),
    detailOf: (number) => `Event ${number} was lost to damage of the disk. This file stands in for it.`,
    carries: (number, id) => reader.carries(number, id),
  });
}
