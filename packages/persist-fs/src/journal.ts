import { setImmediate } from 'node:timers/promises';
import { foldJournal, type StateFields } from '@conv/core';
import {
  StoreError,
  type Commit,
  type Journal,
  type JournalEnd,
  type NewCommit,
  type Snapshot,
  toCommitSeq,
  toEventIndex,
} from '@conv/core/store';
import { AppendQueue, type PendingAppend } from './append-queue.ts';
import { Chain, newestEpoch } from './chain.ts';
import { commitBody, numberedCommit } from './commit-frame.ts';
import type { CompatibleView, ViewedState, ViewEvent } from './compatible-view.ts';
import type { ConversationPath } from './conversation-path.ts';
import type { Disk } from './disk.ts';
import type { Report } from './finding.ts';
import { fenced } from './fenced.ts';
import { flushPace } from './flush-pace.ts';
import { fromFsError } from './from-fs-error.ts';
import { encodeEntries, type IndexFile } from './index-file.ts';
import { journalEnd, type LogSource } from './log-source.ts';
import type { StoredCommit } from './log-writer.ts';
import type { Ownership } from './ownership.ts';
import { FsReader } from './reader.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { ViewRepair } from './view-repair.ts';
import { isGuarded } from './view-state.ts';
import { ViewWriter, type ViewMode } from './view-writer.ts';

/** The largest commit, in bytes of JSON. */
export const MAX_COMMIT_BYTES: number = 16 * 1024 * 1024;

/** What a journal is made of; `takeOver` gathers it. */
export interface JournalParts {
  readonly disk: Disk;
  readonly path: ConversationPath;
  readonly ownership: Ownership;
  readonly source: LogSource;
  readonly index: IndexFile;
  readonly view: CompatibleView;
  /** The commits that `base_state.json` shows; -1 when not known. */
  readonly viewedSeq: number;
  /** When the folder of event files was last seen to hold no foreign ones; `null` when it was not looked at. */
  readonly eventsModified: number | null;
  readonly viewMode: ViewMode;
  readonly report: Report;
}

/** Writes one conversation. */
export class FsJournal extends FsReader implements Journal {
  readonly #ownership: Ownership;
  readonly #ownIndex: IndexFile;
  /** All that was appended is in it. */
  #indexIsKept = true;
  readonly #queue = new AppendQueue();
  readonly #view: ViewWriter;
  readonly #viewedSeq: number;
  readonly #viewFiles: CompatibleView;
  readonly #eventsModified: number | null;
  readonly #report: Report;
  /** `undefined` until the view may be written. */
  #repair: ViewRepair | undefined;
  readonly #watchers = new Set<() => void>();
  /** The state after the last durable commit; `undefined` before the first one of this journal. */
  #after: ViewedState | undefined;
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: JournalParts) {
    super(parts.disk, parts.path, parts.source);
    this.#ownership = parts.ownership;
    this.#ownIndex = parts.index;
    this.#report = parts.report;
    this.#viewFiles = parts.view;
    this.#eventsModified = parts.eventsModified;
    this.#viewedSeq = parts.viewedSeq;
    this.#view = new ViewWriter(parts.view, this.#viewSource(), parts.viewMode, parts.viewedSeq);
    this.lost.addEventListener('abort', () => this.#wake(), { once: true });
  }

  get epoch(): number {
    return this.#ownership.log.epoch;
  }

  get lost(): AbortSignal {
    return this.#ownership.lost;
  }

  /** The state at the durable end; `undefined` when this journal has appended nothing yet. */
  get fields(): StateFields | undefined {
    return this.#after?.fields;
  }

  /** Appends what the store itself commits; the state after it is found by folding when it is needed. */
  store(commit: NewCommit): Promise<Commit> {
    return this.#enqueue(commit, undefined, Infinity);
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return this.#enqueue(commit, after, MAX_COMMIT_BYTES);
  }

  #enqueue(commit: NewCommit, after: StateFields | undefined, limit: number): Promise<Commit> {
    return new Promise((resolve, reject) => {
      this.#assertWritable();
      const body = commitBody(commit);
      const bytes = Buffer.byteLength(body.text);
      const refusal =
        bytes > limit
          ? {
              refusal: new StoreError(
                'TOO_LARGE',
                `commit ${commit.id} of conversation ${this.path.id} has ${bytes} bytes, at most ${limit} are taken`,
              ),
            }
          : {};
      this.#queue.add({ body, after, resolve, reject, ...refusal });
      this.#running ??= this.#run();
    });
  }

  override async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    return this.end;
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#assertWritable();
    // One that is ahead would have to be told from the log later; it costs nothing to leave it out now.
    if (snapshot.seq > this.end.seq) return;
    await this.attempt(async () => writeSnapshot(this.#ownership.files, this.path, snapshot));
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Begins to write the files for OpenHands, which stay as they are until then. Event files before `repairFrom` are known to be
   * there; the others are looked at in the background.
   */
  startView(repairFrom: number): void {
    const goOn = (): boolean => this.#ownership.held;
    const events = (from: number, to: number): AsyncIterable<ViewEvent> => eventsFromLog(this, from, to);
    this.#repair = new ViewRepair(this.#view, events, repairFrom, this.end.event, goOn);
  }

  /** Makes `base_state.json` show the settings that the log holds: the owner before may have had no time to, or put an older one there late. */
  async showSettings(): Promise<void> {
    for await (const { patch } of this.commits({ from: toCommitSeq(Math.max(0, this.#viewedSeq)) })) {
      if (isGuarded(patch)) return this.#view.writeNow(false);
    }
    // A lost commit makes the rules stricter without a patch that says so.
    if (this.damage.length > 0) await this.#view.writeNow(false);
  }

  /** Resolves when the files for OpenHands show everything that was durable at the time of the call. */
  async viewComplete(): Promise<void> {
    await this.#repair?.done;
    await this.#view.finish();
  }

  protected override index(): IndexFile | undefined {
    return this.closed ? undefined : this.#ownIndex;
  }

  protected override trustsIndex(): boolean {
    return this.#indexIsKept;
  }

  protected override onChange(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** When the folder of event files was last changed, if it holds as many as there are events: then none is foreign. */
  #verified(viewedEvents: number): number | null {
    const before = this.disk.stat(this.path.events)?.modified;
    if (before === undefined || viewedEvents !== this.end.event || !this.#ownership.held) return null;
    if (before === this.#eventsModified) return before;
    const files = this.disk.list(this.path.events).filter((name) => name.startsWith('event-'));
    return files.length === viewedEvents && this.disk.stat(this.path.events)?.modified === before ? before : null;
  }

  get #viewedEvents(): number {
    if (!this.#repair) return 0;
    return this.#repair.complete ? this.#viewFiles.events : this.#repair.reached;
  }

  async #run(): Promise<void> {
    // Appends of one turn of the event loop share a flush.
    await Promise.resolve();
    const { log } = this.#ownership;
    flushPace.begin(log);
    while (!this.#queue.isEmpty) {
      const group = this.#queue.takeGroup();
      if (group.length === 0) {
        this.#queue.settleRefusal();
        continue;
      }
      try {
        const { stored, failure } = await log.store(group, group.length === 1 && this.#queue.isEmpty);
        await this.#acknowledge(stored);
        if (failure) this.#refuse(group.slice(stored.length), failure);
      } catch (error) {
        this.#refuse(group, fromFsError(error, `conversation ${this.path.id}`));
      }
      await this.#view.keepUp();
      if (log.othersWait) await setImmediate();
    }
    flushPace.end(log);
    this.#running = undefined;
  }

  #refuse(group: readonly PendingAppend[], reason: StoreError): void {
    if (reason.code === 'FENCED') this.#ownership.lose(reason);
    for (const pending of group) pending.reject(reason);
    this.#queue.rejectAll(reason);
  }

  async #acknowledge(stored: readonly StoredCommit[]): Promise<void> {
    const last = stored.at(-1);
    if (!last) return;
    this.#extendSource(last.epoch);
    this.#ownership.publish({ viewedEvents: this.#viewedEvents });
    const events = this.#indexed(stored);
    const { after } = last.pending;
    this.#after = after && {
      fields: after,
      seq: this.end.seq,
      epoch: last.epoch,
      updatedAt: new Date().toISOString(),
    };
    this.#view.add(events);
    const guarded = stored.map(({ pending }) => pending.body.commit).filter(({ patch }) => isGuarded(patch));
    if (guarded.length > 0) await this.#show(guarded);
    for (const commit of stored) commit.pending.resolve(numberedCommit(commit.pending.body.commit, commit));
    this.#wake();
  }

  /** Writes the state that commits set which must not be acknowledged before the files for OpenHands say so. */
  async #show(guarded: readonly NewCommit[]): Promise<void> {
    await this.#view.writeNow(guarded.some(movesHead));
    // Then the files are a successor's, and may not say so.
    if (this.#ownership.log.isFenced()) throw fenced(this.path);
  }

  /** The log now ends where it is durable, in a new file after an error of the disk. */
  #extendSource(epoch: number): void {
    const { durable, end } = this.#ownership.log;
    const { chain } = this.source;
    const found = chain.newest.epoch === epoch ? undefined : newestEpoch(this.disk, this.path, epoch + 1);
    if (!found) chain.extend(durable);
    this.source = { chain: found ? new Chain(this.disk, this.path, found, durable, end) : chain, end: journalEnd(end) };
  }

  /** Writes the index entries of commits, and makes the view's events of them. */
  #indexed(stored: readonly StoredCommit[]): ViewEvent[] {
    const first = stored[0] as StoredCommit;
    const entries: Buffer[] = [];
    const events: ViewEvent[] = [];
    for (const { pending, seq, epoch, offset, length, firstEvent } of stored) {
      const { commit, events: texts } = pending.body;
      entries.push(
        encodeEntries(
          commit.events.map(({ id }) => id),
          { epoch, offset, length, seq },
        ),
      );
      commit.events.forEach(({ id, kind }, ordinal) => {
        events.push({ index: firstEvent + ordinal, id, kind, text: texts[ordinal] as string });
      });
    }
    try {
      this.#indexIsKept = this.#ownIndex.write(first.firstEvent, Buffer.concat(entries)) && this.#indexIsKept;
    } catch (error) {
      // The index is a cache; what is missing in it is found in the log.
      this.#indexIsKept = false;
      this.#report({ kind: 'viewFailed', conversationId: this.path.id, error });
    }
    return events;
  }

  #viewSource(): ConstructorParameters<typeof ViewWriter>[1] {
    return {
      end: () => this.end,
      eventsFromLog: (from, to) => eventsFromLog(this, from, to),
      state: () => this.#state(),
      owns: () => this.#repair !== undefined && this.#ownership.held && !this.#ownership.log.isFenced(),
      failed: (error) => this.#report({ kind: 'viewFailed', conversationId: this.path.id, error }),
    };
  }

  async #state(): Promise<ViewedState> {
    if (this.#after) return this.#after;
    const { fields, end } = await foldJournal(this);
    const folded = { fields, seq: end.seq, epoch: this.epoch, updatedAt: new Date().toISOString() };
    if (end.seq === this.end.seq) this.#after ??= folded;
    return this.#after ?? folded;
  }

  #assertWritable(): void {
    if (this.#closing) throw new StoreError('CLOSED', `conversation ${this.path.id}`);
    if (this.lost.aborted) throw this.lost.reason;
  }

  #wake(): void {
    for (const changed of this.#watchers) changed();
  }

  async #close(): Promise<void> {
    await this.#running;
    await this.#repair?.done;
    if (this.#ownership.held) await this.#view.finish();
    await this.#view.stop();
    const viewedEvents = this.#viewedEvents;
    this.#ownership.release({ viewedEvents, eventsModified: this.#verified(viewedEvents) });
    await super.close();
    this.#ownIndex.close();
    this.#wake();
  }
}

/** The events of a log, as they go into their files. */
export async function* eventsFromLog(
  journal: FsReader,
  from: number,
  to: number,
): AsyncGenerator<ViewEvent, void, undefined> {
  for await (const { firstEvent, events } of journal.commits({
    fromEvent: toEventIndex(from),
    toEvent: toEventIndex(to),
  })) {
    for (const [ordinal, event] of events.entries()) {
      const index = firstEvent + ordinal;
      if (index >= from && index < to) yield { index, id: event.id, kind: event.kind, text: JSON.stringify(event) };
    }
  }
}

/** Whether a commit moves HEAD to an event that was there before it. */
function movesHead({ patch, events }: NewCommit): boolean {
  return typeof patch?.set?.leafEventId === 'string' && events.length === 0;
}
