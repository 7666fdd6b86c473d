import { join } from 'node:path';
import { readEvent, type Event } from '@conv/core/events';
import { eventFileName } from '@conv/core/openhands';
import { toCommitSeq, toEventIndex, type Commit, type EventIndex } from '@conv/core/store';
import { encodeFrame } from './frame.ts';
import { viewName } from './compatible-view.ts';
import type { ConversationPath } from './conversation-path.ts';
import { decodeCommit } from './commit-frame.ts';
import type { Disk } from './disk.ts';
import { ifThere } from './from-fs-error.ts';
import type { IndexFile } from './index-file.ts';
import type { OwnFiles } from './own-files.ts';
import { openOwn } from './own-file.ts';
import { scanFrames } from './scan.ts';
import { readFile } from './whole-file.ts';

/** Commits that are lost, and the number of the event behind them; `undefined` at the end of the log. */
export interface LostSpan {
  /** The first lost commit, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  readonly fromEvent?: number | undefined;
  readonly toEvent?: number | undefined;
}

/** Where a restored commit came from makes no difference to what it is: its events are whole, its patch is not known. */
const UNKNOWN_PATCH = { set: { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } } } as const;

/**
 * The events of lost commits, in commits with the numbers of those. They come from `.conv/restored`, where an earlier owner put
 * them, and from event files whose number and id fit the index. What else a lost commit said is unknown, so the policy is
 * AlwaysConfirm behind it.
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
  for (const number of lostNumbers(index, span)) {
    const seq = index.entry(number)?.seq ?? 0;
    const event = restorable(disk, path, index, number);
    const last = groups.at(-1);
    if (!event) {
      // what stands at the end behind a hole gets other numbers
      if (span.toEvent === undefined) break;
      continue;
    }
    if (last?.seq === seq && last.first + last.events.length === number) last.events.push(event);
    // one commit has one run of numbers
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

/** The numbers of the events of restored commits. */
export function restoredNumbers(commits: readonly Commit[]): readonly EventIndex[] {
  return commits.flatMap(({ firstEvent, events }) => events.map((_, at) => toEventIndex(firstEvent + at)));
}

/**
 * Keeps restored commits in `.conv/restored`, so that they do not depend on files that other programs use. It is not synced: of a
 * torn one whole frames count, and the event files are still there.
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

/** The numbers of the events that the index knows of lost commits, ascending. */
function lostNumbers(index: IndexFile, { from, to, fromEvent, toEvent }: LostSpan): readonly number[] {
  const numbers: number[] = [];
  const isLost = (number: number): boolean => {
    const seq = index.entry(number)?.seq;
    return seq !== undefined && seq >= from && seq < to;
  };
  if (toEvent === undefined) {
    for (let number = fromEvent ?? 0; isLost(number); number++) numbers.push(number);
    return numbers;
  }
  // a reading of fewer commits may end inside of the span
  let number = toEvent - 1;
  while (number >= 0 && (index.entry(number)?.seq ?? -1) >= to) number--;
  for (; number >= 0 && isLost(number); number--) numbers.unshift(number);
  return numbers;
}

/** The event of a file whose name, content and index entry agree on its number and id. */
function restorable(disk: Disk, path: ConversationPath, index: IndexFile, number: number): Event | undefined {
  const prefix = eventFileName(number, '').slice(0, -'.json'.length);
  for (const name of ifThere(() => disk.list(path.events)) ?? []) {
    if (!name.startsWith(prefix)) continue;
    const event = eventIn(disk, join(path.events, name));
    if (event && viewName(number, event.id) === name && index.carries(number, event.id)) return event;
  }
  return undefined;
}

function eventIn(disk: Disk, file: string): Event | undefined {
  if (disk.stat(file)?.kind !== 'file') return undefined;
  const text = readFile(disk, file).toString();
  try {
    return readEvent(JSON.parse(text));
  } catch {
    return undefined;
  }
}
