import { StoreError, type Commit, type CommitRange, type Damage } from '@conv/core/store';
import { holdsPart, type Part } from './chain.ts';
import { decodeCommit } from './commit-frame.ts';
import { epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { ifThere } from '../disk/from-fs-error.ts';
import type { IndexEntry, IndexFile } from './index-file.ts';
import { lost } from './log-end.ts';
import { restoreCommits, restoredNumbers } from './restored-events.ts';
import type { LogSource } from './log-source.ts';
import { readHeader, scanFrames, type Frame } from './scan.ts';

/** Bytes of a long log after which reading gives way to other work. */
const BYTES_PER_TURN = 1024 * 1024;

/** The input of {@link readCommits}. */
export interface ReadContext {
  readonly disk: Disk;
  readonly path: ConversationPath;
  readonly source: LogSource;
  readonly index: IndexFile | undefined;
  /** Called for each span of commits that cannot be read. */
  readonly onDamage: (damage: Damage) => void;
}

/** Handed out between commits after each stretch of reading: the moment to let other work run. */
export const PAUSE: unique symbol = Symbol('pause');

/** Yields the commits of a range, in order. In place of damaged commits it yields the events that could be restored. */
export function readCommits(
  context: ReadContext,
  range: CommitRange,
): Generator<Commit | typeof PAUSE, void, undefined> {
  return readFrames(context, range, decodeCommit);
}

/** Yields what `read` makes of the frame of each commit of a range, in order, and restored commits in place of damaged ones. */
export function* readFrames<Read>(
  context: ReadContext,
  range: CommitRange,
  read: (frame: Frame) => Read,
): Generator<Read | Commit | typeof PAUSE, void, undefined> {
  const { disk, path, source } = context;
  const span = spanOf(range, source);
  if (span.fromSeq >= span.toSeq || span.fromEvent >= span.toEvent) return;
  const parts = source.chain.from((part) => part.seq <= span.fromSeq || (span.byEvent && part.event <= span.fromEvent));
  const reading = new Reading(context, span, read);
  for (const [number, part] of parts.entries()) {
    const file = ifThere(() => disk.open(epochPath(path, part.epoch), 'read'));
    if (file === undefined) {
      if (!disk.stat(path.log)) throw deletedError(path);
      continue;
    }
    try {
      if (!holdsPart(disk, file, part)) throw deletedError(path);
      const from = number === 0 ? reading.startIn(part, file) : part.body;
      yield* reading.part(file, part.epoch, from, part.end, parts[number + 1]?.seq ?? Infinity);
    } finally {
      disk.close(file);
    }
    if (reading.done) return;
  }
  yield* reading.finish();
}

interface Span {
  readonly byEvent: boolean;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromEvent: number;
  readonly toEvent: number;
}

function spanOf(range: CommitRange, { end }: LogSource): Span {
  if ('fromEvent' in range) {
    const toEvent = Math.min(range.toEvent ?? Infinity, end.event);
    return { byEvent: true, fromSeq: -1, toSeq: end.seq, fromEvent: Math.max(0, range.fromEvent), toEvent };
  }
  const toSeq = Math.min(range.to ?? Infinity, end.seq);
  return { byEvent: false, fromSeq: Math.max(0, range.from ?? 0), toSeq, fromEvent: -1, toEvent: Infinity };
}

/** A pass over a range. */
class Reading<Read> {
  done = false;
  readonly #context: ReadContext;
  readonly #span: Span;
  readonly #read: (frame: Frame) => Read;
  /** The number that the next frame should carry; `undefined` until the first frame of a span of events. */
  #expected: number | undefined;
  /** The number after the last event that was passed. */
  #nextEvent = 0;

  constructor(context: ReadContext, span: Span, read: (frame: Frame) => Read) {
    this.#context = context;
    this.#span = span;
    this.#read = read;
    this.#expected = span.byEvent ? undefined : span.fromSeq;
  }

  /** Returns the offset to begin at: the frame that the index names, or the beginning of the part. */
  startIn(part: Part, file: number): number {
    // If anything is missing in front of the oldest part, everything before it is.
    const { byEvent, fromSeq, fromEvent } = this.#span;
    const isOldest = byEvent ? part.event > fromEvent : fromSeq === 0 && part.seq > 0;
    this.#nextEvent = isOldest ? 0 : part.event;
    this.#expected ??= isOldest ? 0 : part.seq;
    const entry = this.#entryBefore(part);
    const inPart = entry?.epoch === part.epoch && entry.offset >= part.body && entry.offset < part.end;
    const header = entry && inPart ? readHeader(this.#context.disk, file, entry.offset) : undefined;
    if (!entry || header?.seq !== entry.seq) return part.body;
    if (this.#span.byEvent) this.#expected = entry.seq;
    this.#nextEvent = header.firstEvent;
    return entry.offset;
  }

  *part(
    file: number,
    epoch: number,
    from: number,
    to: number,
    before: number,
  ): Generator<Read | Commit | typeof PAUSE, void, undefined> {
    let turn = from + BYTES_PER_TURN;
    for (const frame of scanFrames(this.#context.disk, file, from, to)) {
      if (!frame.header || frame.header.kind !== 'commit') continue;
      const { seq, firstEvent, events } = frame.header;
      if (seq >= before) return;
      if (seq >= this.#span.toSeq || firstEvent >= this.#span.toEvent) {
        yield* this.#missing(seq, epoch, firstEvent);
        this.done = true;
        return;
      }
      if (this.#expected !== undefined && seq < this.#expected) {
        this.#nextEvent = firstEvent + events;
        continue;
      }
      if (firstEvent + events <= this.#span.fromEvent) {
        this.#expected = seq + 1;
        this.#nextEvent = firstEvent + events;
        continue;
      }
      yield* this.#missing(seq, epoch, firstEvent);
      this.#expected = seq + 1;
      this.#nextEvent = firstEvent + events;
      yield this.#read(frame);
      if (frame.end < turn) continue;
      turn = frame.end + BYTES_PER_TURN;
      yield PAUSE;
    }
  }

  /** Ends a pass when all parts are read. */
  *finish(): Generator<Commit, void, undefined> {
    yield* this.#missing(this.#span.toSeq, this.#context.source.chain.newest.epoch, undefined);
  }

  /**
   * Reports the commits that are missing before `to`, and yields what could be restored of them. `toEvent`: the first
   * event after them; `undefined` at the end of the log.
   */
  *#missing(to: number, epoch: number, toEvent: number | undefined): Generator<Commit, void, undefined> {
    const from = this.#expected;
    if (from === undefined || from >= to) return;
    const { disk, path, index, onDamage } = this.#context;
    const { fromEvent, toEvent: stop, toSeq } = this.#span;
    const found = restoreCommits(disk, path, index, { from, to, fromEvent: this.#nextEvent, toEvent });
    onDamage(lost(from, to, `epoch ${epoch} of conversation ${path.id}`, restoredNumbers(found)));
    for (const commit of found)
      if (commit.seq < toSeq && commit.firstEvent < stop && commit.firstEvent + commit.events.length > fromEvent)
        yield commit;
  }

  /** Returns the last index entry at or before the beginning of the range. */
  #entryBefore(part: Part): IndexEntry | undefined {
    const { index, source } = this.#context;
    if (!index) return undefined;
    if (this.#span.byEvent) return index.entry(this.#span.fromEvent);
    let low = part.event;
    let high = Math.min(source.end.event, index.length);
    let best: IndexEntry | undefined;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = index.entry(middle);
      if (!entry) return best;
      if (entry.seq > this.#span.fromSeq) high = middle;
      else {
        best = entry;
        low = middle + 1;
      }
    }
    return best;
  }
}

/** Returns the error of a reader whose conversation is gone, even if another conversation has its id by now. */
export function deletedError({ id }: ConversationPath): StoreError {
  return new StoreError('NOT_FOUND', `conversation ${id} was deleted; open another one, or make it anew`);
}
