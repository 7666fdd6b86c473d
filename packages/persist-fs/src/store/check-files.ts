import { toCommitSeq, toEventIndex, type Finding } from '@conv/core/store';
import { mirrorName, saysTheSame } from '../mirror/openhands-mirror.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { eventsFromLog } from '../log/events-from-log.ts';
import { strayFiles } from '../mirror/foreign-events.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import { IndexFile } from '../log/index-file.ts';
import { obstacleKind } from '../mirror/obstacles.ts';
import { readOwner } from '../log/owner-file.ts';
import type { FsReader } from '../log/reader.ts';
import { namesOther, readSnapshot } from '../log/snapshot-file.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { otherConversation, ownBaseState } from '../log/own-state-files.ts';
import { isDamaged, isDamagedMeta, isGuarded, validMark } from '../mirror/mirror-state.ts';
import { readFile } from '../disk/whole-file.ts';

/** Compares the files beside a log with it: what is made from the log, and what OpenHands reads. */
export async function checkFiles(disk: Disk, path: ConversationPath, reader: FsReader): Promise<readonly Finding[]> {
  return [
    ...stateFiles(disk, path),
    ...(await staleState(disk, path, reader)),
    ...(await caches(disk, path, reader)),
    ...(await eventFiles(disk, path, reader)),
  ];
}

function stateFiles(disk: Disk, path: ConversationPath): Finding[] {
  const found: Finding[] = [];
  for (const [name, file, harmed] of [
    ['base_state.json', path.baseState, isDamaged],
    ['meta.json', path.meta, isDamagedMeta],
  ] as const) {
    if (obstacleKind(disk, file) !== undefined) continue;
    const object = readJsonObject(disk, file);
    if (!disk.stat(file)) found.push(finding('summary', 'stale', `${name} is not there`));
    else if (!object || harmed(object)) found.push(finding('summary', 'damaged', `${name} is damaged`));
    else {
      const other = otherConversation(disk, path, object, harmed);
      if (other) found.push(finding('summary', 'damaged', `${name} is the one of conversation ${other}`));
    }
  }
  return found;
}

/** Finds a whole state file that is older than the settings in the log, such as a file from a backup. */
async function staleState(disk: Disk, path: ConversationPath, reader: FsReader): Promise<Finding[]> {
  // A writer at work brings the file up to date, and a state that OpenHands saved is imported.
  if (readOwner(disk, path.owner)?.released !== true || obstacleKind(disk, path.baseState) !== undefined) return [];
  const base = ownBaseState(disk, path);
  const mark = base && validMark(base);
  if (!mark || mark.seq >= reader.end.seq) return [];
  for await (const { seq, patch } of reader.commits({ from: toCommitSeq(mark.seq) })) {
    if (!isGuarded(patch)) continue;
    return [finding('summary', 'stale', `base_state.json does not show the settings of commit ${seq}`)];
  }
  return [];
}

async function caches(disk: Disk, path: ConversationPath, reader: FsReader): Promise<Finding[]> {
  const events = reader.end.event;
  const found: Finding[] = [];
  if (disk.stat(path.owner) && !readOwner(disk, path.owner))
    found.push(finding('owner', 'damaged', 'owner.json is damaged'));
  if (disk.stat(path.snapshot) && obstacleKind(disk, path.snapshot) === undefined) {
    const snapshot = readSnapshot(disk, path, Infinity);
    if (!snapshot) found.push(finding('snapshot', 'damaged', 'the snapshot is damaged'));
    else if (namesOther(disk, path, snapshot) && (snapshot.seq > reader.end.seq || !(await reader.snapshot())))
      found.push(finding('snapshot', 'damaged', 'the snapshot is of another conversation'));
  }
  const index = new IndexFile(disk, path.index, 'read');
  try {
    let whole = index.wholeUntil(events);
    // The entry of an event that the log has lost cannot be made again.
    while (whole < events && !(await holds(reader, whole))) whole = index.wholeUntil(events, whole + 1);
    if (whole < events) found.push(finding('index', 'damaged', `the index has no whole entry of event ${whole}`));
  } finally {
    index.rest();
  }
  return found;
}

/** True if the log has the event of this number. */
async function holds(reader: FsReader, event: number): Promise<boolean> {
  const range = { fromEvent: toEventIndex(event), toEvent: toEventIndex(event + 1) };
  for await (const { events } of reader.commits(range)) if (events.length > 0) return true;
  return false;
}

async function eventFiles(disk: Disk, path: ConversationPath, reader: FsReader): Promise<Finding[]> {
  const found: Finding[] = [];
  const own = new Map<string, string>();
  // A writer at work may not have written all of them yet.
  const owner = readOwner(disk, path.owner);
  const to = owner?.released === false ? Math.min(owner.viewedEvents, reader.end.event) : reader.end.event;
  for await (const { index, id, text } of eventsFromLog(reader, 0, to)) {
    const name = mirrorName(index, id);
    own.set(name, id);
    const file = `${path.events}/${name}`;
    const instead = obstacleKind(disk, file);
    const bytes = instead === undefined ? ifThere(() => readFile(disk, file)) : undefined;
    if (instead !== undefined)
      found.push(finding('event file', 'damaged', `${name}: expected a file, found ${instead}`));
    else if (!bytes) found.push(finding('event file', 'stale', `${name} is not there`));
    else if (!saysTheSame(bytes, text))
      found.push(finding('event file', 'damaged', `${name} says something else than the log`));
  }
  if (owner?.released === false) return found;
  return [...found, ...strayFiles(disk, path, own).map((message) => finding('event file', 'stale', message))];
}

function finding(part: string, severity: Finding['severity'], message: string): Finding {
  return { part, severity, message, repaired: false };
}

/** True if the finding of a lost span is about this commit. */
export function isAboutCommit({ message }: Finding, seq: number): boolean {
  const [, from, to = from] = /^commits? (\d+)(?: to (\d+))?/.exec(message) ?? [];
  return from !== undefined && Number(from) <= seq && seq <= Number(to);
}
