import { join } from 'node:path';
import type { Event } from '@conv/core/events';
import { toCommitSeq, toEventIndex, type Commit, type EventIndex } from '@conv/core/store';
import { isStandIn } from '@conv/store-kit';
import { encodeFrame } from './frame.ts';
import { readEventFile } from '../mirror/foreign-events.ts';
import { mirrorName } from '../mirror/openhands-mirror.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import { decodeCommit } from './commit-frame.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import type { IndexFile } from './index-file.ts';
import type { OwnFiles } from '../disk/own-files.ts';
import { openOwn } from '../disk/own-file.ts';
import { scanFrames } from './scan.ts';

/** Commits that are lost, and the number of the event after them; `undefined` at the end of the log. */
export interface LostSpan {
  /** The first lost commit, and the one after the last. */
  readonly from: number;
  readonly to: number;
  readonly fromEvent?: number | undefined;
  readonly toEvent?: number | undefined;
}

/** The patch of every restored commit, wherever its events came from: the events are whole, the patch is unknown. */
const UNKNOWN_PATCH = { set: { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } } } as const;

/**
 * Restores the events of lost commits, in commits with the same numbers (decision 27). They come from `.conv/restored`,
 * where an earlier owner put them, and from event files whose number and id fit the index. The rest of a lost commit is
 * unknown, so the policy after it is AlwaysConfirm.
 */
export function restoreCommits(
  disk: Disk,
  path: ConversationPath,
  index: IndexFile | undefined,
  span: LostSpan,
): readonly Commit[] {
  const stored = readRestored(disk, path).filter(({ seq }) => seq >= span.from && seq < span.to);
  if (stored.length > 0 || !index) return stored;
  const groups: { seq: number; first: number; events: Event[] }[] = [];
  const files = filesByNumber(disk, path);
  for (const { number, seq } of lostEvents(index, span)) {
    const event = restorable(disk, path, index, { number, names: files.get(number) ?? [] });
    const last = groups.at(-1);
    if (!event) {
      // At the end of the log, events after a hole would get other numbers.
      if (span.toEvent === undefined) break;
      continue;
    }
    if (last?.seq === seq && last.first + last.events.length === number) last.events.push(event);
    // A commit has one run of numbers.
    else if (last?.seq !== seq) groups.push({ seq, first: number, events: [event] });
  }
  return groups.map(({ seq, first, events }) => ({
    seq: toCommitSeq(seq),
    epoch: 0,
    id: `restored-${path.key}-${seq}`,
    firstEvent: toEventIndex(first),
    events,
    patch: UNKNOWN_PATCH,
  }));
}

/** Returns the numbers of the events of restored commits. */
export function restoredNumbers(commits: readonly Commit[]): readonly EventIndex[] {
  return commits.flatMap(({ firstEvent, events }) => events.map((_, at) => toEventIndex(firstEvent + at)));
}

/**
 * Keeps restored commits in `.conv/restored`, so that they do not depend on files that other programs use. Nothing is
 * synced: of a torn file the whole frames count, and the event files are still there.
 */
export function keepRestored(disk: Disk, files: OwnFiles, path: ConversationPath, commits: readonly Commit[]): void {
  const known = readRestored(disk, path);
  const added = commits.filter(({ seq }) => !known.some((one) => one.seq === seq));
  if (added.length === 0) return;
  const frames = [...known, ...added].toSorted((a, b) => a.seq - b.seq).map(toFrame);
  files.replace(path.restored, Buffer.concat(frames));
}

/** The commits in `.conv/restored` that can be read, in order. */
export function readRestored(disk: Disk, path: ConversationPath): readonly Commit[] {
  const file = openOwn(disk, path.restored, 'read');
  if (file === undefined) return [];
  try {
    const commits: Commit[] = [];
    for (const frame of scanFrames(disk, file, 0, disk.size(file)))
      if (frame.header && frame.header.kind === 'commit') commits.push(decodeCommit(frame));
    return commits;
  } finally {
    disk.close(file);
  }
}

function toFrame(commit: Commit): Buffer {
  const { epoch, seq, firstEvent, events } = commit;
  const header = { kind: 'commit', epoch, seq, firstEvent, events: events.length, durable: 0 } as const;
  return encodeFrame(header, JSON.stringify(commit));
}

interface LostEvent {
  readonly number: number;
  /** Its commit. */
  readonly seq: number;
}

/**
 * Lists the events of lost commits, ascending: the events that the index names and, in front of an event that is there,
 * also the events whose entries are damaged. If several commits are lost, the commit of such an event is not known. It
 * is taken for the next lost commit, but never for a later commit than the next event has.
 */
function lostEvents(index: IndexFile, { from, to, fromEvent = 0, toEvent }: LostSpan): readonly LostEvent[] {
  const seqAt = (number: number): number | undefined => index.entry(number)?.seq;
  const isLost = (seq: number | undefined): seq is number => seq !== undefined && seq >= from && seq < to;
  const found: LostEvent[] = [];
  if (toEvent === undefined) {
    for (let number = fromEvent, seq = seqAt(number); isLost(seq); seq = seqAt(++number)) found.push({ number, seq });
    return found;
  }
  let first = fromEvent;
  while (first > 0 && isLost(seqAt(first - 1))) first--;
  for (let number = first; number < toEvent; number++) {
    const seq = seqAt(number);
    if (seq === undefined) found.push({ number, seq: Math.min(to - 1, (found.at(-1)?.seq ?? from - 1) + 1) });
    else if (isLost(seq)) found.push({ number, seq });
  }
  // An event in front of a known commit cannot be of a later one.
  for (let at = found.length - 2; at >= 0; at--) {
    const [one, next] = [found[at] as LostEvent, found[at + 1] as LostEvent];
    if (one.seq > next.seq) found[at] = { number: one.number, seq: next.seq };
  }
  return found;
}

/** The names of event files by the number in them. */
function filesByNumber(disk: Disk, path: ConversationPath): ReadonlyMap<number, readonly string[]> {
  const files = new Map<number, string[]>();
  for (const name of ifThere(() => disk.list(path.events)) ?? []) {
    const [, digits] = /^event-(\d+)-/.exec(name) ?? [];
    if (digits === undefined) continue;
    const number = Number(digits);
    files.set(number, [...(files.get(number) ?? []), name]);
  }
  return files;
}

/**
 * Returns the event of a file whose name, content and index entry agree on its number and id. If the entry is damaged
 * too, the only file with this number counts as the file that was written for it.
 */
function restorable(
  disk: Disk,
  path: ConversationPath,
  index: IndexFile,
  { number, names }: { readonly number: number; readonly names: readonly string[] },
): Event | undefined {
  const isAlone = names.length === 1 && index.entry(number) === undefined;
  for (const name of names) {
    const file = join(path.events, name);
    const event = disk.stat(file)?.kind === 'file' ? readEventFile(disk, file) : undefined;
    if (!event || isStandIn(event)) continue;
    if (mirrorName(number, event.id) === name && (isAlone || index.carries(number, event.id))) return event;
  }
  return undefined;
}
