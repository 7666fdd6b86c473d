import { basename, join } from 'node:path';
import { readEvent, type Event } from '@conv/core/events';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { readFile, writeFile } from '../disk/whole-file.ts';

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
 * Lists the files of events that `isOurs` does not know, by number and then by name. Every name is compared: another program may have
 * removed a file of ours and given its number to an event of its own.
 */
export function foreignFiles(
  disk: Disk,
  path: ConversationPath,
  isOurs: (index: number, id: string) => boolean,
): ForeignFile[] {
  const names = ifThere(() => disk.list(path.events)) ?? [];
  const found: { name: string; index: number }[] = [];
  for (const name of names) {
    const match = NAME.exec(name);
    const index = Number(match?.[1]);
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

/** Moves a file that is not part of the log to a folder where no reader takes it for an event (decision 68). */
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
