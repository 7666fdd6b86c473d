import {
  toCommitSeq,
  toEventIndex,
  type Commit,
  type CommitRange,
  type CommitSeq,
  type Damage,
  type EventIndex,
  type JournalEnd,
  type KeptState,
  type Snapshot,
} from '@conv/core/store';
import { timers } from '@conv/core/platform';
import { isOtherSnapshot, WatchableReader } from '@conv/store-kit';
import { holdsPart, withEpochFile } from './chain.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { Report } from '../disk/finding.ts';
import { toThrow } from '../disk/from-fs-error.ts';
import { IndexFile } from './index-file.ts';
import { keptStates } from './kept-state.ts';
import { openLogSource, type LogSource } from './log-source.ts';
import { deletedError, PAUSE, readCommits, readFrames, type ReadContext } from './read-commits.ts';
import { namesOther, readSnapshot } from './snapshot-file.ts';

/** Milliseconds between two looks of a watcher. Notifications of the system usually come first. */
const POLL = 500;

/** Reads one conversation. The journal extends it with a source of its own. */
export class FsReader extends WatchableReader {
  protected readonly disk: Disk;
  protected readonly path: ConversationPath;
  protected source: LogSource;
  readonly #report: Report;
  /** Made at the first lookup: a writer has an index of its own. */
  #index: IndexFile | undefined;
  #indexIsWhole: boolean | undefined;
  /** The ids in the log, read from it because the index is not whole. */
  #scanned: { readonly byId: Map<string, EventIndex>; to: number } | undefined;

  constructor(disk: Disk, path: ConversationPath, source: LogSource, report: Report = () => {}) {
    super(path.id);
    this.disk = disk;
    this.path = path;
    this.source = source;
    this.#report = report;
    for (const damage of source.damage) this.addDamage(damage);
  }

  get end(): JournalEnd {
    return this.source.end;
  }

  /** The files of the log and where it ends, as last seen. */
  logSource(): LogSource {
    return this.source;
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    return this.attempt(async () => {
      const source = await openLogSource(this.disk, this.path);
      if (!source?.chain.continues(this.source.chain)) throw deletedError(this.path);
      this.source = source;
      for (const damage of source.damage) this.addDamage(damage);
      return source.end;
    });
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    try {
      for (const commit of readCommits(this.#reading(), range)) {
        if (commit === PAUSE) await this.disk.platform.nextTurn();
        else yield commit;
      }
    } catch (error) {
      throw toThrow(error, `conversation ${this.path.id}`);
    } finally {
      this.atRest();
    }
  }

  /** Compares the checksums of commits. Resolves with their bytes. */
  async verify(from: number, to: number): Promise<number> {
    this.assertOpen();
    const range = { from: toCommitSeq(from), to: toCommitSeq(to) };
    try {
      return await this.attempt(async () => {
        let bytes = 0;
        for (const found of readFrames(this.#reading(), range, ({ payload }) => payload.length)) {
          if (found === PAUSE) await this.disk.platform.nextTurn();
          else if (typeof found === 'number') bytes += found;
        }
        return bytes;
      });
    } finally {
      this.atRest();
    }
  }

  #reading(): ReadContext {
    const { disk, path, source } = this;
    return { disk, path, source, index: this.index(), onDamage: (damage) => void this.addDamage(damage) };
  }

  /** Reads the log as a whole, so that damage is found, and resolves with the commits that were restored. */
  async restoredCommits(): Promise<readonly Commit[]> {
    const restored: Commit[] = [];
    for await (const commit of this.commits())
      if (this.damage.some(({ from, to }) => from <= commit.seq && commit.seq <= to)) restored.push(commit);
    return restored;
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    try {
      return await this.attempt(() => this.#find(eventId));
    } finally {
      this.atRest();
    }
  }

  /** True if the index says that the event of this number has this id. */
  carries(event: number, id: string): boolean {
    return this.index()?.carries(event, id) === true;
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    return this.attempt(async () => {
      const snapshot = readSnapshot(this.disk, this.path, this.end.seq);
      const { newest } = this.source.chain;
      const isSameLog = withEpochFile(this.disk, this.path, newest.epoch, (file) => holdsPart(this.disk, file, newest));
      if (!snapshot || isSameLog !== true) return undefined;
      const isOther = namesOther(this.disk, this.path, snapshot) && (await isOtherSnapshot(this, snapshot));
      return isOther ? undefined : snapshot;
    });
  }

  async kept(): Promise<readonly KeptState[]> {
    this.assertOpen();
    return this.attempt(async () => keptStates(this.disk, this.path));
  }

  watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit, void, undefined> {
    // When the disk cannot be reached, the next look by time tries again.
    return this.watchWith({ follow: (ring) => this.onChange(ring) }, from, signal);
  }

  override close(): Promise<void> {
    this.#index?.rest();
    return super.close();
  }

  /** Calls `changed` after changes, until the returned function is called. */
  protected onChange(changed: () => void): () => void {
    const stop = this.#watchFolder(changed);
    const timer = timers.every(this.disk.platform, POLL, changed);
    return () => {
      stop();
      timer.cancel();
    };
  }

  #watchFolder(changed: () => void): () => void {
    try {
      return this.disk.watch(this.path.log, changed);
    } catch {
      // polling is the net
      return () => {};
    }
  }

  protected index(): IndexFile | undefined {
    return this.isClosed ? undefined : (this.#index ??= new IndexFile(this.disk, this.path.index, 'read'));
  }

  /** Ends a reading. A reader may be kept for long, so it holds no descriptor between readings. */
  protected atRest(): void {
    this.#index?.rest();
  }

  protected override addDamage(damage: Damage): boolean {
    const isNew = super.addDamage(damage);
    if (isNew) this.#report({ kind: 'damage', conversationId: this.id, damage });
    return isNew;
  }

  protected async attempt<Value>(action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      throw toThrow(error, `conversation ${this.path.id}`);
    }
  }

  /** Returns true if the index is known to hold every event, because its owner keeps it so. */
  protected trustsIndex(): boolean {
    return false;
  }

  #isWhole(index: IndexFile): boolean {
    if (index.length < this.end.event) return false;
    if (this.trustsIndex()) return true;
    this.#indexIsWhole ??= index.wholeUntil(this.end.event) === this.end.event;
    return this.#indexIsWhole;
  }

  async #find(eventId: string): Promise<EventIndex | undefined> {
    const index = this.index();
    if (!index || !this.#isWhole(index)) return this.#scanFor(eventId);
    for (const candidate of index.candidates(eventId, this.end.event)) {
      if ((await this.#idAt(candidate)) === eventId) return toEventIndex(candidate);
    }
    return undefined;
  }

  async #idAt(event: number): Promise<string | undefined> {
    const at = toEventIndex(event);
    for await (const commit of this.commits({ fromEvent: at, toEvent: toEventIndex(event + 1) })) {
      const found = commit.events[event - commit.firstEvent];
      if (found) return found.id;
    }
    return undefined;
  }

  async #scanFor(eventId: string): Promise<EventIndex | undefined> {
    this.#scanned ??= { byId: new Map(), to: 0 };
    const { byId, to } = this.#scanned;
    const { event: end } = this.end;
    if (to < end) {
      for await (const { firstEvent, events } of this.commits({ fromEvent: toEventIndex(to), toEvent: end })) {
        events.forEach((event, ordinal) => {
          if (!byId.has(event.id)) byId.set(event.id, toEventIndex(firstEvent + ordinal));
        });
      }
      this.#scanned.to = end;
    }
    return byId.get(eventId);
  }
}
