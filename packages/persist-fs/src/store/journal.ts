import type { StateFields } from '@conv/core';
import {
  isStoreError,
  StoreError,
  type Commit,
  type Journal,
  type JournalEnd,
  type KeptState,
  type NewCommit,
  type Snapshot,
} from '@conv/core/store';
import { flushPace, JournalWrites, numberedCommit } from '@conv/store-kit';
import { Chain } from '../log/chain.ts';
import type { MirrorEvent } from '../mirror/openhands-mirror.ts';
import type { Report } from '../disk/finding.ts';
import { fromFsError } from '../disk/from-fs-error.ts';
import { giveBackQuietly } from '../disk/give-back.ts';
import { encodeEntries, type IndexFile } from '../log/index-file.ts';
import { JournalMirror, type JournalMirrorDeps } from './journal-mirror.ts';
import { journalEnd, type LogSource } from '../log/log-source.ts';
import type { PendingAppend, StoredCommit } from '../log/log-writer.ts';
import type { Ownership } from '../ownership/ownership.ts';
import { FsReader } from '../log/reader.ts';
import { settleFenced, type FencedGroup } from '../ownership/settle-fenced.ts';
import { writeSnapshot } from '../log/snapshot-file.ts';

/** The highest number of commits and of characters in one write and one flush. */
const GROUP = { commits: 1024, size: 4 * 1024 * 1024 };

/** Groups of one commit in a row, after which the next commit is taken to be alone. */
const SINGLE = 3;

/** The parts of a journal, gathered by `openJournal`. */
export interface JournalParts extends JournalMirrorDeps {
  readonly source: LogSource;
  /** Copies of the state as the opening found them. */
  readonly kept: readonly KeptState[];
}

/**
 * Writes one conversation. The walk of a group of commits (P1, P2, decision 11):
 *
 *     append ──► queue ──► #storeGroup ──► LogWriter: write, flush, fence
 *                                            │ stored           │ FENCED            │ another failure
 *                                            ▼                  ▼                   ▼
 *                                       #acknowledge ──────► #settle            #writes.queue.refuse:
 *                                            │      FENCED      │ asks the          the group and all after it
 *                                            │                  │ successor's log
 *                                            ▼                  ▼
 *                          callers resolve, watchers wake    callers resolve or reject
 *
 *     the steps of #acknowledge, in this order
 *     end of the log         for readers of this journal
 *     owner.json             for readers in other processes; no promise rests on it
 *     index                  for lookups by id; a cache, because the log has every entry that is missing in it
 *     files for OpenHands    awaited only for commits with guarded settings
 *     resolve, wake          for callers, then for watchers
 *
 * Invariants:
 * - One group is in progress at a time, and its commits get the numbers after the durable end.
 * - Readers see a commit only after its flush and the fence after the flush. Its caller is told only after the files for OpenHands
 *   show its guarded settings, or could not be written.
 * - After the flush an error does not mean that a commit is not stored: #acknowledge rejects `FENCED` or `OUTCOME_UNKNOWN` alone.
 * - Callers learn of success in two places alone: at the end of #acknowledge, and in #settle for a commit that the successor's
 *   log holds.
 */
export class FsJournal extends FsReader implements Journal {
  readonly #ownership: Ownership;
  readonly #ownIndex: IndexFile;
  readonly #kept: readonly KeptState[];
  /** True if the index holds everything that was appended. */
  #indexIsKept = true;
  readonly #writes: JournalWrites<StateFields | undefined>;
  readonly #mirror: JournalMirror;
  readonly #report: Report;
  #watchers: Set<() => void> | undefined;
  /** The number of groups in a row that held one commit. */
  #single = 0;

  constructor(parts: JournalParts) {
    super(parts.disk, parts.path, parts.source, parts.report);
    this.#ownership = parts.ownership;
    const store = (group: readonly PendingAppend[]): Promise<void> => this.#storeGroup(group);
    const onBusy = (isBusy: boolean): void => this.#pace(isBusy);
    this.#writes = new JournalWrites(parts.path.id, { limits: GROUP, store, onBusy }, parts.ownership.losing);
    this.#ownIndex = parts.index;
    this.#kept = parts.kept;
    this.#report = parts.report;
    this.#mirror = new JournalMirror(parts, this);
    this.lost.addEventListener('abort', () => this.#wake(), { once: true });
    parts.ownership.onBeat = () => this.#ownIndex.rest();
  }

  get epoch(): number {
    return this.#ownership.log.epoch;
  }

  get lost(): AbortSignal {
    return this.#writes.lost;
  }

  /** The state at the durable end; `undefined` when this journal has appended nothing yet. */
  get fields(): StateFields | undefined {
    return this.#mirror.fields;
  }

  /** Appends a commit of the store itself. The state after it is folded when it is needed. */
  store(commit: NewCommit): Promise<Commit> {
    return this.#writes.append(commit, undefined, Infinity);
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return this.#writes.append(commit, after);
  }

  override async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    return this.end;
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#writes.assert();
    // A snapshot ahead of the log would have to be recognised later; leaving it out now costs nothing.
    if (snapshot.seq > this.end.seq) return;
    await this.attempt(async () => writeSnapshot(this.#ownership.files, this.path, snapshot));
  }

  /**
   * Stores pending commits and gives everything back. Rejects `UNAVAILABLE` or `DENIED` if the lease for OpenHands
   * could not be removed. Another call tries that again, and the lease runs out by itself.
   */
  override async close(): Promise<void> {
    await this.attempt(async () => {
      await this.#writes.close(() => this.#close());
      this.#ownership.releaseLease();
    });
    this.onClosed();
  }

  override async kept(): Promise<readonly KeptState[]> {
    return this.#kept;
  }

  startMirror(repairFrom: number): void {
    this.#mirror.start(repairFrom);
  }

  /** See {@link JournalMirror.showSettings}. */
  showSettings(): Promise<void> {
    return this.#mirror.showSettings();
  }

  mirrorComplete(): Promise<void> {
    return this.#mirror.complete();
  }

  protected override index(): IndexFile | undefined {
    return this.isClosed ? undefined : this.#ownIndex;
  }

  protected override atRest(): void {
    // The next commit writes into the index. An idle journal closes it with its next heartbeat.
  }

  protected override trustsIndex(): boolean {
    return this.#indexIsKept;
  }

  protected override onChange(changed: () => void): () => void {
    const watchers = (this.#watchers ??= new Set());
    watchers.add(changed);
    return () => watchers.delete(changed);
  }

  #pace(isBusy: boolean): void {
    const { log } = this.#ownership;
    if (isBusy) flushPace.begin(log);
    else flushPace.end(log);
  }

  /** Stores a group and settles every commit of it. */
  async #storeGroup(group: readonly PendingAppend[]): Promise<void> {
    const { log } = this.#ownership;
    // read before the first await: `store` moves the end of the log when the group is durable
    const from = log.end.seq;
    try {
      // others may claim, and the queue grows, during this await; the fence after the flush decides about this group
      const { stored, failure } = await log.store(group, this.#isAlone(group));
      await this.#acknowledge(stored).catch((error: unknown) => this.#doubt(error));
      // after a short write the first commits are stored; all later commits were made for a log with the failed ones, so they go too
      const rest = group.slice(stored.length);
      if (failure?.code === 'FENCED') await this.#settle(rest, from + stored.length, failure);
      else if (failure) this.#writes.queue.refuse(rest, failure);
    } catch (error) {
      const reason = fromFsError(error, `conversation ${this.path.id}`);
      if (reason.code === 'FENCED') await this.#settle(group, from, reason);
      else this.#writes.queue.refuse(group, reason);
    }
    // the queue waits too, so that the files for OpenHands are never far behind the log
    await this.#mirror.keepUp();
    if (log.othersWait) await this.disk.platform.nextTurn();
  }

  /**
   * Throws the error of commits that are durable and could not be acknowledged. They may be part of the log, so only
   * `OUTCOME_UNKNOWN` is true for them, unless a successor decides.
   */
  #doubt(error: unknown): never {
    if (isStoreError(error, 'FENCED')) throw error;
    const subject = `conversation ${this.path.id}`;
    const found =
      'a commit was flushed, then the disk failed before the look for a later owner; whether it is stored is not known';
    throw new StoreError('OUTCOME_UNKNOWN', `${subject}: ${found}: open it again to see`, { cause: error });
  }

  /** True if commits come one after the other: commits that come together meet in the queue during a flush. */
  #isAlone(group: readonly PendingAppend[]): boolean {
    this.#single = group.length === 1 && this.#writes.queue.isEmpty ? this.#single + 1 : 0;
    return this.#single >= SINGLE;
  }

  /** Settles a group that was written during a takeover: the successor's log says which commits of it are stored. */
  async #settle(group: readonly PendingAppend[], from: number, reason: StoreError): Promise<void> {
    // read after the failure: the log may have gone on in a new epoch before it wrote the group, and that is not a successor's
    const { lastEpoch } = this.#ownership.log;
    const written: FencedGroup = { lastEpoch, from, commits: group.map(({ body }) => body.commit) };
    this.#ownership.lose(reason);
    // Only the successor decides: it read the log after its claim, and what it found counts even if we were never told.
    const stored = await settleFenced(this.disk, this.path, written);
    const unknown = `conversation ${this.path.id} was taken over while the commit was written; whether it is stored is not known; open it again to see`;
    const rest = stored ? reason : new StoreError('OUTCOME_UNKNOWN', unknown, { cause: reason });
    for (const [at, pending] of group.entries()) {
      const commit = stored?.[at];
      if (commit) pending.resolve(commit);
      else pending.reject(rest);
    }
    this.#writes.queue.refuse([], reason);
  }

  async #acknowledge(stored: readonly StoredCommit[]): Promise<void> {
    const last = stored.at(-1);
    if (!last) return;
    // Readers, the owner record and the index may show commits that are durable. Callers are told only after the files
    // for OpenHands show guarded settings, so that OpenHands never continues under weaker ones.
    this.#extendSource();
    this.#ownership.publish({ viewedEvents: this.#mirror.viewedEvents });
    const events = this.#indexed(stored);
    const commits = stored.map(({ pending }) => pending.body.commit);
    // fence: after its write of guarded settings `follow` looks for a successor, and rejects FENCED. Readers may have seen the commits
    // by then; they are durable, so the successor's log holds them, and #settle finds them there.
    await this.#mirror.follow(commits, events, last.pending.after, last.epoch);
    for (const commit of stored) commit.pending.resolve(numberedCommit(commit.pending.body.commit, commit));
    this.#wake();
  }

  /**
   * Moves the end of the log to its durable end, which is in a new file after an error of the disk. Reads nothing: the commits are
   * durable, so nothing may fail their callers any more.
   */
  #extendSource(): void {
    const { beginning, durable, end } = this.#ownership.log;
    const { chain, damage } = this.source;
    const isSame = chain.newest.epoch === beginning.epoch;
    if (isSame) chain.extend(durable);
    const now = isSame ? chain : new Chain(this.disk, this.path, beginning, durable, end);
    this.source = { chain: now, end: journalEnd(end), damage };
  }

  /** Writes the index entries of commits, and returns their events for OpenHands' files. */
  #indexed(stored: readonly StoredCommit[]): MirrorEvent[] {
    const first = stored[0] as StoredCommit;
    const entries: Buffer[] = [];
    const events: MirrorEvent[] = [];
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
      // The index is a cache; entries that are missing in it are found in the log.
      this.#indexIsKept = false;
      this.#report({ kind: 'mirrorFailed', conversationId: this.path.id, error });
    }
    return events;
  }

  #wake(): void {
    for (const changed of this.#watchers ?? []) changed();
  }

  /** Runs after the last group, because the queue is settled first. */
  async #close(): Promise<void> {
    const last = await this.#mirror.end().catch(() => ({ viewedEvents: 0, eventsModified: null }));
    this.shut();
    // both are tried, and neither may fail the close: everything that was acknowledged is durable
    giveBackQuietly(
      // fence: a successor's record is left alone, see `ownership.ts`
      () => this.#ownership.release(last),
      () => this.#ownIndex.rest(),
    );
    this.#wake();
  }
}
