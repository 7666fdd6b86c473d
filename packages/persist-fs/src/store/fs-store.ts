import { resolve } from 'node:path';
import { checkOptionNames, describeValue, type OptionNames, type StateFields } from '@conv/core';
import {
  checkOpenOptions,
  checkByReading,
  StoreError,
  toConversationKey,
  type CheckOptions,
  type CheckResult,
  type ConversationStore,
  type Finding,
  type ForkOptions,
  type Journal,
  type JournalReader,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
} from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { MAX_COMMIT_BYTES } from '@conv/store-kit';
import { listEpochs } from '../disk/conversation-path.ts';
import { checkFiles, isAboutCommit } from './check-files.ts';
import { conversationPath, refuseEscape, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { reportOnce, type Report } from '../disk/finding.ts';
import { ifThere, toThrow } from '../disk/from-fs-error.ts';
import { FsJournal } from './journal.ts';
import { openLogSource, type LogSource } from '../log/log-source.ts';
import { Listing } from './listing.ts';
import { makeStoreFolder } from '../disk/make-folder.ts';
import { refuseNetworkMount } from '../disk/network-mount.ts';
import { diskWith } from '../disk/node-disk.ts';
import { openJournal } from './open-journal.ts';
import { readForeign } from '../foreign/read-foreign.ts';
import { FsReader } from '../log/reader.ts';
import { readRestored } from '../log/restored-events.ts';
import { readSnapshot } from '../log/snapshot-file.ts';
import { completeMirror } from './complete-mirror.ts';
import { clearObstacles, obstaclesIn, type Obstacle } from '../mirror/obstacles.ts';
import { assertNotOwned } from '../ownership/take-over.ts';
import { clearUnfinished, deleteConversation } from './delete-conversation.ts';
import { forkConversation } from './fork-conversation.ts';
import type { MirrorMode } from '../mirror/mirror-writer.ts';
import { hasGap } from '../log/verify-log.ts';

/** The options of an {@link FsStore}. */
export interface FsStoreOptions {
  /** The folder that holds the conversations, one folder each. Made when it is missing. */
  readonly directory: string;
  /**
   * The time at which the files for OpenHands are written. Default `always`. Changes of safety settings are always
   * written at once.
   */
  readonly mirror?: MirrorMode;
  /** Milliseconds without a heartbeat after which an owner may be taken over. At least 100. Default 15,000. */
  readonly leaseTimeout?: number;
  /**
   * True if the folder may be on a network file system. Promises then hold only while one machine alone uses it.
   * Default `false`: such a folder is refused with `UNSUPPORTED`.
   */
  readonly allowNetworkMount?: boolean;
  /** Receives findings, which the store has dealt with. Default: they are dropped. */
  readonly report?: Report;
  /** Default: the disk of this machine. */
  readonly disk?: Disk;
  /** Gives times, timers and ids. Default: the platform of the disk. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<FsStoreOptions> = {
  directory: true,
  mirror: true,
  leaseTimeout: true,
  allowNetworkMount: true,
  report: true,
  disk: true,
  platform: true,
};

const MIRROR_MODES: readonly MirrorMode[] = ['always', 'deferred'];

/** Conversations in folders of the local file system. */
export class FsStore implements ConversationStore {
  readonly features: StoreFeatures = {
    durability: 'power',
    exclusion: 'kernel',
    shared: true,
    maxCommitBytes: MAX_COMMIT_BYTES,
  };
  readonly #directory: string;
  readonly #disk: Disk;
  readonly #mirror: MirrorMode;
  readonly #leaseTimeout: number;
  readonly #report: Report;
  /** True if the folder is known to be on a local file system, or need not be. */
  #checked: boolean;
  /** True if the folder is there, and its name durable. */
  #made = false;
  readonly #listing: Listing;
  readonly #open = new Set<Pick<JournalReader, 'close'>>();
  /** Forks whose files for OpenHands are being completed. */
  readonly #mirrors = new Map<string, Promise<void>>();
  #closed = false;

  constructor(options: FsStoreOptions) {
    checkOptionNames('new FsStore', options, NAMES);
    if (typeof options.directory !== 'string' || options.directory === '')
      throw new TypeError(
        `new FsStore: directory: expected the path of a folder, such as 'conversations', found ${describeValue(options.directory)}`,
      );
    if (options.leaseTimeout !== undefined && !(options.leaseTimeout >= 100)) {
      throw new TypeError(
        `new FsStore: leaseTimeout: expected at least 100 milliseconds, found ${options.leaseTimeout}`,
      );
    }
    if (options.mirror !== undefined && !MIRROR_MODES.includes(options.mirror))
      throw new TypeError(
        `new FsStore: mirror: expected ${MIRROR_MODES.join(', ')}, found ${JSON.stringify(options.mirror)}`,
      );
    if (options.report !== undefined && typeof options.report !== 'function')
      throw new TypeError(
        `new FsStore: report: expected a function of a finding, found ${describeValue(options.report)}`,
      );
    this.#directory = resolve(options.directory);
    this.#disk = options.disk ?? diskWith(options.platform);
    this.#listing = new Listing(this.#disk, this.#directory);
    this.#mirror = options.mirror ?? 'always';
    this.#leaseTimeout = options.leaseTimeout ?? 15_000;
    this.#checked = options.allowNetworkMount ?? false;
    this.#report = reportOnce(options.report ?? (() => {}));
  }

  async open(id: string, options: OpenOptions): Promise<Journal> {
    checkOpenOptions(options);
    options.signal?.throwIfAborted();
    const path = this.#path(id);
    return this.#attempt(
      path,
      async () => {
        await this.#prepare(options.create);
        const context = { disk: this.#disk, path, options, leaseTimeout: this.#leaseTimeout, report: this.#report };
        const journal = await openJournal(context, this.#mirror);
        return this.#keep(journal);
      },
      options.signal,
    );
  }

  async read(id: string): Promise<JournalReader | undefined> {
    const path = this.#path(id);
    return this.#attempt(path, async () => {
      refuseEscape(this.#disk, path);
      const source = await openLogSource(this.#disk, path);
      if (!source) {
        const foreign = await readForeign(this.#disk, path);
        if (foreign) this.#open.add(foreign);
        return foreign;
      }
      const reader = this.#keep(new FsReader(this.#disk, path, source, this.#report));
      await this.#lookThrough(reader, source);
      return reader;
    });
  }

  /**
   * Finds the damage that an opening would find, so that a state that is read from a snapshot knows of damage in front
   * of it.
   */
  async #lookThrough(reader: FsReader, source: LogSource): Promise<void> {
    try {
      if (hasGap(this.#disk, this.#path(reader.id), source)) await reader.restoredCommits();
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  async list(query: ListQuery = {}): Promise<ListPage> {
    this.#assertOpen();
    try {
      for (const opened of this.#open)
        if (opened instanceof FsJournal) this.#listing.changed(toConversationKey(opened.id));
      return await this.#listing.page(query);
    } catch (error) {
      throw toThrow(error, `store ${this.#directory}`);
    }
  }

  async fork(id: string, newId: string, options: ForkOptions): Promise<void> {
    const [from, to] = [this.#path(id), this.#path(newId)];
    await this.#attempt(to, async () => {
      const source = await this.#logOf(from);
      if (!source) throw new StoreError('NOT_FOUND', `conversation ${from.id} is not in this store`);
      try {
        clearUnfinished(this.#disk, to);
        await forkConversation({ disk: this.#disk, source, from, to, fields: this.#fieldsOf(from, source) }, options);
      } finally {
        await source.close();
      }
      this.#mirrors.set(to.id, this.#completeMirror(to));
    });
  }

  /** Resolves when the files for OpenHands show all of the conversation, as far as this store writes them. */
  async mirrorComplete(id: string): Promise<void> {
    const path = this.#path(id);
    await this.#mirrors.get(path.id);
    for (const opened of this.#open)
      if (opened instanceof FsJournal && opened.id === path.id) await opened.mirrorComplete();
  }

  async delete(id: string): Promise<void> {
    const path = this.#path(id);
    await this.#attempt(path, () => deleteConversation(this.#disk, path, this.#report));
  }

  async check(id: string | undefined, options?: CheckOptions): Promise<CheckResult> {
    if (id === undefined) return this.#look(undefined, options);
    const path = this.#path(id);
    return this.#attempt(path, () => this.#check(path, options ?? {}), options?.signal);
  }

  async #check(path: ConversationPath, options: CheckOptions): Promise<CheckResult> {
    options.signal?.throwIfAborted();
    const obstacles = obstaclesIn(this.#disk, path);
    // Without a log the state file is the only file with the rules: it is not taken away.
    if (options.repair && obstacles.length > 0 && listEpochs(this.#disk, path).length > 0) {
      assertNotOwned(this.#disk, path);
      clearObstacles(this.#disk, path, obstacles);
    }
    const before = await this.#lookAround(path, obstacles, options);
    if (!options.repair || before.findings.length === 0) return before;
    await this.#repair(path, options);
    const after = await this.#look(path.id, options);
    const isIn = (findings: readonly Finding[], one: Finding): boolean =>
      findings.some(({ part, message }) => part === one.part && message === one.message);
    const restored = readRestored(this.#disk, path);
    const isRepaired = (found: Finding): boolean =>
      found.part === 'log' && found.severity === 'lost'
        ? restored.some(({ seq }) => isAboutCommit(found, seq))
        : !isIn(after.findings, found);
    const since = after.findings.filter((found) => found.part !== 'log' && !isIn(before.findings, found));
    return {
      ...after,
      findings: [...before.findings.map((found) => ({ ...found, repaired: isRepaired(found) })), ...since],
    };
  }

  /** Looks at a conversation with obstacles in the place of files. These may be all that can be found. */
  async #lookAround(
    { id }: ConversationPath,
    obstacles: readonly Obstacle[],
    options: CheckOptions,
  ): Promise<CheckResult> {
    const found = obstacles.map(({ finding }) => finding);
    try {
      const looked = await this.#look(id, options);
      return { ...looked, findings: [...found, ...looked.findings] };
    } catch (error) {
      if (found.length === 0 || options.repair || options.signal?.aborted) throw error;
      return { commits: 0, events: 0, findings: found };
    }
  }

  async #look(id: string | undefined, options: CheckOptions | undefined): Promise<CheckResult> {
    this.#assertOpen();
    const result = await checkByReading(this, id, options);
    const reader = id === undefined ? undefined : await this.read(id);
    if (!reader) return result;
    try {
      if (!(reader instanceof FsReader)) return result;
      const files = await checkFiles(this.#disk, conversationPath(this.#directory, reader.id), reader);
      return { ...result, findings: [...result.findings, ...files] };
    } finally {
      await reader.close();
    }
  }

  /** Opening restores lost records. The index, the state files and the event files are written again beside the log. */
  async #repair(path: ConversationPath, { signal }: CheckOptions): Promise<void> {
    const options: OpenOptions = { create: 'never', owner: 'repair', ...(signal && { signal }) };
    const context = {
      disk: this.#disk,
      path,
      options,
      leaseTimeout: this.#leaseTimeout,
      report: this.#report,
      anew: true,
    };
    if (!readSnapshot(this.#disk, path, Infinity)) ifThere(() => this.#disk.remove(path.snapshot));
    const journal = await openJournal(context, this.#mirror);
    await journal.mirrorComplete();
    await journal.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#mirrors.values(), this.#listing.close()]);
    const closed = await Promise.allSettled([...this.#open].map((opened) => opened.close()));
    for (const one of closed) if (one.status === 'rejected') throw one.reason;
  }

  /** Opens the log to be forked. A folder that OpenHands made gets its log first. */
  async #logOf(path: ConversationPath): Promise<FsReader | undefined> {
    const reader = await this.read(path.id);
    if (!reader || reader instanceof FsReader) return reader;
    const journal = await this.open(path.id, { create: 'never', owner: 'import' });
    await journal.close();
    return this.#logOf(path);
  }

  #keep<Opened extends FsReader>(opened: Opened): Opened {
    this.#open.add(opened);
    opened.onClosed = () => {
      this.#open.delete(opened);
      this.#listing.changed(toConversationKey(opened.id));
    };
    return opened;
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('CLOSED', `store ${this.#directory} is closed`);
  }

  #fieldsOf(path: ConversationPath, source: FsReader): StateFields | undefined {
    for (const opened of this.#open) {
      if (opened instanceof FsJournal && opened.id === path.id && opened.end.seq === source.end.seq)
        return opened.fields;
    }
    return undefined;
  }

  async #completeMirror(path: ConversationPath): Promise<void> {
    try {
      await completeMirror(this.#disk, path);
    } catch (error) {
      this.#report({ kind: 'mirrorFailed', conversationId: path.id, error });
    } finally {
      this.#mirrors.delete(path.id);
    }
  }

  #path(id: string): ConversationPath {
    this.#assertOpen();
    return conversationPath(this.#directory, id);
  }

  async #prepare(create: OpenOptions['create']): Promise<void> {
    if (create !== 'never') await this.#makeFolder();
    if (this.#checked || !this.#disk.stat(this.#directory)) return;
    refuseNetworkMount(this.#disk, this.#directory);
    this.#checked = true;
  }

  /** Makes the folder once for all opens of this object, and again if it was removed. */
  async #makeFolder(): Promise<void> {
    if (this.#made && this.#disk.stat(this.#directory)) return;
    await makeStoreFolder(this.#disk, this.#directory);
    this.#made = true;
  }

  async #attempt<Value>(path: ConversationPath, action: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw error;
      throw toThrow(error, `conversation ${path.id}`);
    }
  }
}
