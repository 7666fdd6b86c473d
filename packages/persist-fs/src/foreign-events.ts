import { basename, join } from 'node:path';
import { readEvent, type Event } from '@conv/core/events';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import { ifThere } from './from-fs-error.ts';
import { readFile } from './whole-file.ts';

/** Wider than what OpenHands recognises: it writes files that it does not find again. */
const NAME = /^event-(\d+)-(.+)\.json$/;

/** A file that another program wrote for an event. */
export interface ForeignFile {
  readonly name: string;
  readonly index: number;
  /** `undefined` when the file holds no event. */
  readonly event: Event | undefined;
}

/** The files of events that are not ours: all but those `isOurs` knows, by number and then by name. */
export function foreignFiles(
  disk: Disk,
  path: ConversationPath,
  isOurs: (index: number, id: string) => boolean,
): ForeignFile[] {
  const found: { name: string; index: number }[] = [];
  for (const name of ifThere(() => disk.list(path.events)) ?? []) {
    const match = NAME.exec(name);
    if (match && !isOurs(Number(match[1]), match[2] as string)) found.push({ name, index: Number(match[1]) });
  }
  return found
    .sort((a, b) => a.index - b.index || (a.name < b.name ? -1 : 1))
    .map(({ name, index }) => ({ name, index, event: eventIn(disk, join(path.events, name)) }));
}

/** Puts a file that is no part of the log where nothing takes it for one; it is kept. */
export function setAside(disk: Disk, path: ConversationPath, file: string): void {
  const folder = join(path.log, 'foreign');
  if (!disk.stat(folder)) disk.makeFolder(folder);
  let target = join(folder, basename(file));
  for (let copy = 1; disk.stat(target); copy++) target = join(folder, `${basename(file)}.${copy}`);
  ifThere(() => disk.rename(file, target));
}

function eventIn(disk: Disk, path: string): Event | undefined {
  const text = readFile(disk, path).toString();
  try {
    return readEvent(JSON.parse(text));
  } catch {
    return undefined;
  }
}
