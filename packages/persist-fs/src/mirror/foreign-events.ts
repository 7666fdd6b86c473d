import { basename, join } from 'node:path';
import { readEvent, type Event } from '@conv/core/events';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { readFile, writeFile } from '../disk/whole-file.ts';
import { EVENT_FILE_PREFIX } from './event-files.ts';

/** Matches more names than OpenHands recognises, because it writes files that it does not find again. */
const NAME = /^event-(\d+)-(.+)\.json$/;

/** A file that another program wrote for an event. */
export interface ForeignFile {
  readonly name: string;
  readonly index: number;
  /** `undefined` when the file holds no event. */
  readonly event: Event | undefined;
}

/**
 * Lists the files of events that `isOurs` does not know, by number and then by name. A file below `written` that is the
 * only file with its number is ours without a look, because we wrote a file with this number.
 */
export function foreignFiles(
  disk: Disk,
  path: ConversationPath,
  written: number,
  isOurs: (index: number, id: string) => boolean,
): ForeignFile[] {
  const names = ifThere(() => disk.list(path.events)) ?? [];
  const numbers = names.map(numberOf);
  const twice = repeated(numbers, written);
  const found: { name: string; index: number }[] = [];
  for (const [at, name] of names.entries()) {
    const index = numbers[at] as number;
    if (index < written && !twice.has(index)) continue;
    const match = NAME.exec(name);
    if (match && !isOurs(index, match[2] as string)) found.push({ name, index });
  }
  return found
    .sort((a, b) => a.index - b.index || (a.name < b.name ? -1 : 1))
    .map(({ name, index }) => ({ name, index, event: eventIn(disk, join(path.events, name)) }));
}

/** Describes files that no import takes in: without an event, or of an event that the log has elsewhere. */
export function strayFiles(disk: Disk, path: ConversationPath, own: ReadonlyMap<string, string>): readonly string[] {
  const ids = new Set(own.values());
  const names = (ifThere(() => disk.list(path.events)) ?? [])
    .filter((name) => NAME.test(name) && !own.has(name))
    .sort();
  return names.flatMap((name) => {
    const event = eventIn(disk, join(path.events, name));
    if (event && !ids.has(event.id)) return [];
    return [event ? `${name} holds an event that the log has elsewhere` : `${name} holds no event`];
  });
}

/** The number in the name of an event's file; `NaN` in other names. */
function numberOf(name: string): number {
  return name.startsWith(EVENT_FILE_PREFIX) ? Number.parseInt(name.slice(EVENT_FILE_PREFIX.length), 10) : Number.NaN;
}

/** The numbers below `to` that occur more than once. */
function repeated(numbers: readonly number[], to: number): ReadonlySet<number> {
  const seen = new Uint8Array(to);
  const twice = new Set<number>();
  for (const number of numbers) {
    if (!(number < to)) continue;
    if (seen[number] === 1) twice.add(number);
    seen[number] = 1;
  }
  return twice;
}

/** Moves a file that is no part of the log to where no reader takes it for an event. It is kept (decision 68). */
export function setAside(disk: Disk, path: ConversationPath, file: string): void {
  ifThere(() => disk.rename(file, placeAside(disk, path, file)));
}

/** Keeps a copy of a file that is about to be replaced. */
export function keepCopy(disk: Disk, path: ConversationPath, file: string): void {
  const bytes = ifThere(() => readFile(disk, file));
  if (bytes) writeFile(disk, placeAside(disk, path, file), bytes);
}

function placeAside(disk: Disk, path: ConversationPath, file: string): string {
  const folder = join(path.log, 'foreign');
  if (!disk.stat(folder)) disk.makeFolder(folder);
  let target = join(folder, basename(file));
  for (let copy = 1; disk.stat(target); copy++) target = join(folder, `${basename(file)}.${copy}`);
  return target;
}

function eventIn(disk: Disk, path: string): Event | undefined {
  const kind = disk.stat(path)?.kind;
  // A folder of that name is set aside like a file that holds no event.
  return kind === 'folder' || kind === 'other' ? undefined : readEventFile(disk, path);
}

/** Returns the event in a file; `undefined` if it holds none. */
export function readEventFile(disk: Disk, path: string): Event | undefined {
  const text = readFile(disk, path).toString();
  try {
    return readEvent(JSON.parse(text));
  } catch {
    return undefined;
  }
}
