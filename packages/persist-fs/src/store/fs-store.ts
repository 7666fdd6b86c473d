import { basename, resolve } from 'node:path';
import { abortable, checkOptionNames, describeValue, type OptionNames } from '@conv/core';
import {
  toConversationKey,
  type CheckOptions,
  type CheckResult,
  type Finding,
  type ForkOptions,
  type JournalReader,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
} from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { BaseStore, checkByReading, checkMilliseconds, MAX_COMMIT_BYTES, type Incomplete } from '@conv/store-kit';
import { checkFiles, isAboutCommit } from './check-files.ts';
import {
  conversationPath,
  epochPath,
  listEpochs,
  refuseEscape,
  type ConversationPath,
} from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { reportOnce, type Report } from '../disk/finding.ts';
import { ifThere, toThrow } from '../disk/from-fs-error.ts';
import { FsJournal } from './journal.ts';
import { misplacedEpochs } from '../log/chain.ts';
import { beginsAsOther, otherInFolder } from '../log/foreign-log.ts';
import { openLogSource } from '../log/log-source.ts';
import { findIncomplete } from './find-incomplete.ts';
import { Listing, readKeys } from './listing.ts';
import { makeStoreFolder } from '../disk/make-folder.ts';
import { refuseNetworkMount } from '../disk/network-mount.ts';
import { refuseFile } from '../disk/refuse-file.ts';
import { diskWith } from '../disk/node-disk.ts';
import { openJournal } from './open-journal.ts';
import { readForeign } from '../foreign/read-foreign.ts';
import { FsReader } from '../log/reader.ts';
import { readRestored } from '../log/restored-events.ts';
import { completeMirror } from './complete-mirror.ts';
import { clearObstacles, obstaclesIn, type Obstacle } from '../mirror/obstacles.ts';
import { assertNotOwned, type TakeOverContext } from '../ownership/take-over.ts';
import { clearUnfinished, deleteConversation } from './delete-conversation.ts';
import { forkConversation } from './fork-conversation.ts';
import type { MirrorMode } from '../mirror/mirror-writer.ts';
import { hasGap } from '../log/verify-log.ts';

/** The options of an {@link FsStore}. */
export interface FsStoreOptions {
  /** The folder that holds the conversations, one folder each. Made when it is missing. */
  readonly directory: string;
  /** The time at which OpenHands' files are written. Default `always`. Safety settings are always written at once. */
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
export class FsStore extends BaseStore<JournalReader> {
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
  /** Forks whose files for OpenHands are being completed. */
  readonly #mirrors = new Map<string, Promise<void>>();

  constructor(options: FsStoreOptions) {
    checkOptionNames('new FsStore', options, NAMES);
    if (typeof options.directory !== 'string' || options.directory === '')
      throw new TypeError(
        `new FsStore: directory: expected the path of a folder, such as 'conversations', found ${describeValue(options.directory)}`,
      );
    checkMilliseconds('new FsStore', options, { leaseTimeout: 100 });
    if (options.mirror !== undefined && !MIRROR_MODES.includes(options.mirror))
      throw new TypeError(
        `new FsStore: mirror: expected ${MIRROR_MODES.join(', ')}, found ${JSON.stringify(options.mirror)}`,
      );
    if (options.report !== undefined && typeof options.report !== 'function')
      throw new TypeError(
        `new FsStore: report: expected a function of a finding, found ${describeValue(options.report)}`,
      );
    const directory = resolve(options.directory);
    super(`store ${directory}`);
    this.#directory = directory;
    this.#disk = options.disk ?? diskWith(options.platform);
    this.#listing = new Listing(this.#disk, this.#directory);
    this.#mirror = options.mirror ?? 'always';
    this.#leaseTimeout = options.leaseTimeout ?? 15_000;
    this.#checked = options.allowNetworkMount ?? false;
    this.#report = reportOnce(options.report ?? (() => {}));
  }

  /** Resolves when the files for OpenHands show all of the conversation, as far as this store writes them. */
  async mirrorComplete(id: string): Promise<void> {
    this.assertOpen();
    const path = this.#path(id);
    await this.#mirrors.get(path.id);
    for (const journal of this.#journals) if (journal.id === path.id) await journal.mirrorComplete();
  }

  override close(): Promise<void> {
    // Ends a look at all folders that is under way.
    void this.#listing.close();
    return super.close();
  }

  protected async acquire(id: string, options: OpenOptions): Promise<FsJournal> {
    if (options.create !== 'never') await this.#makeFolder();
    if (!this.#checked && this.#disk.stat(this.#directory)) {
      refuseNetworkMount(this.#disk, this.#directory);
      this.#checked = true;
    }
    const path = this.#path(id);
    // Opening writes the files of OpenHands from the log. Those files prove what was there before another log took its place.
    if (beginsAsOther(this.#disk, path)) await (await this.read(path.id))?.close();
    return this.#keep(await openJournal(this.#takeOver(path, options), this.#mirror));
  }

  protected override otherConversation(id: string, reader: JournalReader): Promise<string | undefined> {
    return otherInFolder(this.#disk, this.#path(id), reader);
  }

  protected async find(id: string): Promise<JournalReader | undefined> {
    const path = this.#path(id);
    refuseEscape(this.#disk, path);
    const source = await openLogSource(this.#disk, path);
    if (!source) {
      const foreign = await readForeign(this.#disk, path);
      if (!foreign) refuseFile(this.#disk, this.#directory);
      return foreign && this.keep(foreign);
    }
    const reader = this.#keep(new FsReader(this.#disk, path, source, this.#report));
    try {
      // Finds the damage that an opening would find, so that a state that is read from a snapshot knows of damage in front of it.
      if (hasGap(this.#disk, path, source)) await reader.restoredCommits();
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  protected page(query: ListQuery): Promise<ListPage> {
    for (const { id } of this.#journals) this.#listing.changed(toConversationKey(id));
    return this.#listing.page(query);
  }

  /** Opens the log to be forked. A folder that OpenHands made gets its log first. */
  protected override async findSource(id: string): Promise<FsReader | undefined> {
    const reader = await this.find(id);
    if (!reader || reader instanceof FsReader) return reader;
    const journal = await this.acquire(id, { create: 'never', owner: 'import' });
    await journal.close();
    return this.findSource(id);
  }

  protected async forkFrom(source: FsReader, id: string, options: ForkOptions): Promise<void> {
    const [from, to] = [this.#path(source.id), this.#path(id)];
    const writer = this.#journals.find((journal) => journal.id === from.id && journal.end.seq === source.end.seq);
    clearUnfinished(this.#disk, to);
    await forkConversation({ disk: this.#disk, source, from, to, fields: writer?.fields }, options);
    this.#mirrors.set(to.id, this.#completeMirror(to));
  }

  protected async remove(id: string): Promise<void> {
    refuseFile(this.#disk, this.#directory);
    await deleteConversation(this.#disk, this.#path(id), this.#report);
  }

  protected override async findIncomplete(): Promise<readonly Incomplete[]> {
    return findIncomplete(this.#disk, this.#directory, await readKeys(this.#disk, this.#directory));
  }

  protected override async checkConversation(id: string, options: CheckOptions): Promise<CheckResult> {
    const path = this.#path(id);
    // The files of a new fork are not stale while this store writes them.
    const writing = this.#mirrors.get(path.id);
    if (writing) await (options.signal ? abortable(writing, options.signal) : writing);
    const instead = obstaclesIn(this.#disk, path);
    // A file cannot be judged while something else is in the place of one.
    const obstacles = instead.length > 0 ? instead : this.#misplacedIn(path);
    // Without a log the state file is the only file with the rules: it is not taken away.
    if (options.repair && obstacles.length > 0 && listEpochs(this.#disk, path).length > 0) {
      assertNotOwned(this.#disk, path);
      clearObstacles(this.#disk, path, obstacles);
    }
    const before = await this.#lookAround(path, obstacles, options);
    if (!options.repair || before.findings.length === 0) return before;
    if (before.findings.some(({ part }) => part === 'snapshot')) ifThere(() => this.#disk.remove(path.snapshot));
    await this.#repair(path, options);
    const after = await this.#look(path, options);
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
      findings: [
        ...before.findings.map((found) => ({
          ...(after.findings.find(({ part, message }) => part === found.part && message === found.message) ?? found),
          repaired: isRepaired(found),
        })),
        ...since,
      ],
    };
  }

  protected override async end(): Promise<void> {
    await Promise.all([...this.#mirrors.values(), this.#listing.close()]);
  }

  protected override toThrow(error: unknown, subject: string): unknown {
    return toThrow(error, subject);
  }

  /** Finds files of other logs in the place of files of this one (decision 78). */
  #misplacedIn(path: ConversationPath): readonly Obstacle[] {
    return misplacedEpochs(this.#disk, path).map((epoch) => {
      const file = epochPath(path, epoch);
      const message = `${basename(file)} is a file of another log`;
      return { path: file, finding: { part: 'log', severity: 'damaged', message, repaired: false } };
    });
  }

  /** Looks at a conversation with obstacles in the place of files. These may be all that can be found. */
  async #lookAround(
    path: ConversationPath,
    obstacles: readonly Obstacle[],
    options: CheckOptions,
  ): Promise<CheckResult> {
    const found = obstacles.map(({ finding }) => finding);
    try {
      const looked = await this.#look(path, options);
      return { ...looked, findings: [...found, ...looked.findings] };
    } catch (error) {
      if (found.length === 0 || options.repair || options.signal?.aborted) throw error;
      return { commits: 0, events: 0, findings: found };
    }
  }

  async #look(path: ConversationPath, options: CheckOptions): Promise<CheckResult> {
    const result = await checkByReading(this, path.id, options);
    const reader = await this.find(path.id);
    if (!reader) return result;
    try {
      if (reader instanceof FsReader)
        return { ...result, findings: [...result.findings, ...(await checkFiles(this.#disk, path, reader))] };
      // Without a log nothing is on record.
      const isLost = ({ severity }: Finding): boolean => severity === 'known';
      return { ...result, findings: result.findings.map((one) => (isLost(one) ? { ...one, severity: 'lost' } : one)) };
    } finally {
      await reader.close();
    }
  }

  /** Opening restores lost records. The index, the state files and the event files are written again beside the log. */
  async #repair(path: ConversationPath, { signal }: CheckOptions): Promise<void> {
    const options: OpenOptions = { create: 'never', owner: 'repair', ...(signal && { signal }) };
    const journal = await openJournal({ ...this.#takeOver(path, options), anew: true }, this.#mirror);
    await journal.mirrorComplete();
    await journal.close();
  }

  get #journals(): readonly FsJournal[] {
    return [...this.opened].filter((opened) => opened instanceof FsJournal);
  }

  #keep<One extends FsReader>(opened: One): One {
    return this.keep(opened, () => this.#listing.changed(toConversationKey(opened.id)));
  }

  #takeOver(path: ConversationPath, options: OpenOptions): TakeOverContext {
    return { disk: this.#disk, path, options, leaseTimeout: this.#leaseTimeout, report: this.#report };
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
    return conversationPath(this.#directory, id);
  }

  /** Makes the folder once for all opens of this object, and again if it was removed. */
  async #makeFolder(): Promise<void> {
    if (this.#made && this.#disk.stat(this.#directory)) return;
    await makeStoreFolder(this.#disk, this.#directory);
    this.#made = true;
  }
}
