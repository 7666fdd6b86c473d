import { eventFileName } from '@conv/openhands/folder';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';

/** Begins the names of all event files, whether OpenHands recognises them or not. */
const EVENT_FILE_PREFIX = 'event-';

/** The number of names that are compared before other work continues. */
const NAMES_PER_TURN = 1024;

/**
 * Resolves with true if the folder of a conversation holds one file for each event before `count`, and no other event file. The names are
 * compared, because another program may have removed as many files as it added. An event whose id is not in the name of its file makes the
 * answer false, which costs a look at each file.
 *
 * @param matcher makes the function that tells whether an event has an id; it is called when the number of files fits
 */
export async function holdsOwnFiles(
  disk: Disk,
  path: ConversationPath,
  count: number,
  matcher: () => (event: number, id: string) => boolean,
): Promise<boolean> {
  const names = (await disk.readFolder(path.events)).filter((name) => name.startsWith(EVENT_FILE_PREFIX));
  if (names.length !== count) return false;
  const isOurs = matcher();
  const seen = new Uint8Array(count);
  for (const [at, name] of names.entries()) {
    const [index, id] = partsOf(name);
    if (!(index < count) || seen[index] === 1 || eventFileName(index, id) !== name || !isOurs(index, id)) return false;
    seen[index] = 1;
    if (at % NAMES_PER_TURN === NAMES_PER_TURN - 1) await disk.platform.nextTurn();
  }
  return true;
}

/** Returns the number and the id of the event whose file may have this name. An expression takes several times as long. */
function partsOf(name: string): [index: number, id: string] {
  const dash = name.indexOf('-', EVENT_FILE_PREFIX.length);
  return [Number(name.slice(EVENT_FILE_PREFIX.length, dash)), name.slice(dash + 1, -'.json'.length)];
}
