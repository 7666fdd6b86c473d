import { checkOptionNames, describeValue, type OptionNames } from '@conv/core';
import type { S3Client } from '@aws-sdk/client-s3';
import {
  listPage,
  type CheckOptions,
  type CheckResult,
  type Finding,
  type ForkOptions,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
} from '@conv/core/store';
import { systemPlatform, Turns, type Platform } from '@conv/core/platform';
import { BaseStore, checkMilliseconds, MAX_COMMIT_BYTES, notInStore, ownedBy, type Incomplete } from '@conv/store-kit';
import { Bucket } from '../bucket/bucket.ts';
import { checkConversation } from '../checks/check-conversation.ts';
import { checkManifest } from '../checks/check-manifest.ts';
import { deleteConversation } from '../ownership/delete-conversation.ts';
import type { Report } from '../ownership/finding.ts';
import { checkBegunForks, unmadeForks } from '../forks/drafts.ts';
import { assertFree, forkConversation } from '../forks/fork-conversation.ts';
import { toThrow } from '../bucket/from-s3-error.ts';
import { S3Journal, type JournalContext } from '../ownership/journal.ts';
import type { KnownEnd } from '../log/known-ends.ts';
import { lostManifests, presentManifest } from '../ownership/lost-manifest.ts';
import { WrittenEnds } from '../log/written-ends.ts';
import { ObjectCache } from '../bucket/object-cache.ts';
import { ObjectKeys } from '../bucket/object-keys.ts';
import { proveConditions } from '../bucket/prove-conditions.ts';
import { S3Reader } from '../log/reader.ts';
import { repairTombstone } from '../checks/repair-tombstone.ts';
import { StoreHeartbeat } from '../ownership/store-heartbeat.ts';
import { checkStrays } from '../checks/stray-slots.ts';
import { SharedList } from './shared-list.ts';
import { Summaries } from './summaries.ts';
import { takeOver, type TakeOverContext } from '../ownership/take-over.ts';
import { LimitedTurns } from '../bucket/limited-turns.ts';

const PACKING_AT_ONCE = 2;

/** Options of an {@link S3Store}. */
export interface S3StoreOptions {
  /** Client of the caller; the store never closes it. Its region, endpoint, credentials and timeouts apply. */
  readonly client: S3Client;
  /** Name of an existing bucket; the store makes none. */
  readonly bucket: string;
  /** Prefix of all keys, such as `production/`. Default empty. */
  readonly prefix?: string;
  /** Milliseconds that commits wait to share a request. Default 0: commits of one request's time share the next. */
  readonly linger?: number;
  /**
   * Age of a store's heartbeat, in milliseconds by the clock of the service, from which others may take over its conversations.
   * At least 3000. Default 15,000. No promise rests on it.
   */
  readonly leaseTimeout?: number;
  /** Longest time between two looks of a `watch` of a conversation that another process writes, in milliseconds. Default 2000. */
  readonly poll?: number;
  /** Bytes of objects kept in memory, for all conversations together. Default 32 MiB. */
  readonly cacheBytes?: number;
  /** Receives failures in the background that the store dealt with. Default: they are dropped. */
  readonly report?: Report;
  /** Gives times, timers and ids. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<S3StoreOptions> = {
  client: true,
  bucket: true,
  prefix: true,
  linger: true,
  leaseTimeout: true,
  poll: true,
  cacheBytes: true,
  report: true,
  platform: true,
};

/** Conversations in a bucket of S3, or of a service that has its API and its conditional writes. */
export class S3Store extends BaseStore<S3Reader> {
  readonly features: StoreFeatures = {
    durability: 'machine',
    exclusion: 'cluster',
    shared: true,
    maxCommitBytes: MAX_COMMIT_BYTES,
  };
  readonly #context: JournalContext;
  readonly #heartbeat: StoreHeartbeat;
  readonly #summaries: Summaries;
  readonly #turns = new Turns();
  #proof: Promise<void> | undefined;

  constructor(options: S3StoreOptions) {
    checkOptionNames('new S3Store', options, NAMES);
    const { client, prefix = '', linger = 0, leaseTimeout = 15_000, poll = 2000, platform = systemPlatform } = options;
    if (typeof options.bucket !== 'string' || options.bucket === '')
      throw new TypeError(`new S3Store: bucket: expected the name of a bucket, found ${describeValue(options.bucket)}`);
    if (/[/:]/.test(options.bucket))
      throw new TypeError(
        'new S3Store: bucket: expected the name of a bucket alone, found a path or a URL; give the path as the prefix',
      );
    if (typeof client?.send !== 'function')
      throw new TypeError(
        `new S3Store: client: expected an S3Client of @aws-sdk/client-s3, found ${describeValue(client)}`,
      );
    checkMilliseconds('new S3Store', options, { leaseTimeout: 3000, linger: 0, poll: 1 });
    super(`bucket ${options.bucket}`);
    const bucket = new Bucket(client, options.bucket, platform, () => this.#summaries.marked());
    const keys = new ObjectKeys(prefix);
    const report = options.report ?? ((): void => {});
    const cache = new ObjectCache(options.cacheBytes ?? 32 * 1024 * 1024);
    const packing = new LimitedTurns(PACKING_AT_ONCE);
    this.#context = { bucket, keys, cache, platform, writtenEnds: new WrittenEnds(), poll, report, packing, linger };
    const onStalled = (): void => this.#checkOwnership();
    const ends = (): readonly KnownEnd[] => this.#journals.flatMap(({ newEnd }) => newEnd ?? []);
    this.#heartbeat = new StoreHeartbeat({ bucket, keys, platform, report, leaseTimeout, onStalled, ends });
    this.#summaries = new Summaries({ list: new SharedList(bucket, keys), platform, report });
  }

  protected acquire(id: string, options: OpenOptions): Promise<S3Journal> {
    return this.#turns.run(() => this.#takeOver(id, options), id);
  }

  protected async find(id: string): Promise<S3Reader | undefined> {
    const stored = await presentManifest(this.#context, id);
    return stored && this.keep(await S3Reader.open(this.#context, stored.manifest));
  }

  protected async page(query: ListQuery): Promise<ListPage> {
    const summaries = query.page === undefined ? this.#summaries.all() : this.#summaries.forNextPage();
    return listPage(await summaries, query);
  }

  protected forkFrom(source: S3Reader, id: string, options: ForkOptions): Promise<void> {
    return this.#turns.run(async () => {
      await assertFree(this.#context, id);
      await this.#prove();
      const writer = this.#journals.find((journal) => journal.id === source.id && !journal.lost.aborted);
      const fields = writer?.end.seq === source.end.seq ? writer.fields : undefined;
      await forkConversation({ context: this.#context, source, id, fields }, options);
    }, id);
  }

  protected remove(id: string): Promise<void> {
    return this.#turns.run(async () => {
      await this.#refuseOwn(id);
      await this.#prove();
      await deleteConversation(this.#parts(id));
      this.#summaries.deleted();
    }, id);
  }

  /** Resolves `undefined`: the manifest names its conversation, and slots and packs name the instance of its log (decision 81). */
  protected override async otherConversation(): Promise<string | undefined> {
    return undefined;
  }

  protected override async findIncomplete(): Promise<readonly Incomplete[]> {
    return [...(await lostManifests(this.#context)), ...(await unmadeForks(this.#context))];
  }

  protected override async checkShared(repair: boolean): Promise<readonly Finding[]> {
    const findings = [...(await super.checkShared(repair)), ...(await checkBegunForks(this.#context, repair))];
    await this.#summaries.compare();
    return findings;
  }

  protected override async checkConversation(id: string, options: CheckOptions): Promise<CheckResult> {
    const deleted = options.repair === true ? await repairTombstone(this.#context, id) : undefined;
    return deleted ? { commits: 0, events: 0, findings: [deleted] } : super.checkConversation(id, options);
  }

  protected override async checkHead(id: string, repair: boolean): Promise<readonly Finding[]> {
    const findings = await checkManifest(this.#context, id, repair);
    return [...findings, ...(await checkStrays(this.#context, id, repair))];
  }

  /** False for a log that was not given up: its summary may be behind, and only an owner can tell. */
  protected override isSettled(reader: S3Reader): boolean {
    return reader.seen.manifest.clean;
  }

  protected override checkOpened(reader: S3Reader, options: CheckOptions): Promise<CheckResult> {
    return checkConversation(this.#context, reader, options);
  }

  protected override async end(): Promise<void> {
    await this.#summaries.end();
    await this.#heartbeat.lower().catch((error: unknown) => this.#context.report({ kind: 'signFailed', error }));
  }

  protected override toThrow(error: unknown, subject: string): unknown {
    return toThrow(error, subject);
  }

  get #journals(): readonly S3Journal[] {
    return [...this.opened].filter((opened) => opened instanceof S3Journal);
  }

  async #takeOver(id: string, options: OpenOptions): Promise<S3Journal> {
    this.assertOpen();
    options.signal?.throwIfAborted();
    await this.#refuseOwn(id);
    // Rejects before anything is written to the bucket.
    if (options.create === 'never' && !(await presentManifest(this.#context, id, options.signal))) throw notInStore(id);
    await this.#prove();
    // The heartbeat must be fresh before the manifest names this store as owner, or others could take over at once.
    await this.#heartbeat.hold();
    try {
      const journal = new S3Journal(this.#context, await takeOver(this.#parts(id), options));
      return this.keep(journal, () => {
        for (const nonce of journal.unreleased) this.#heartbeat.free(nonce);
        this.#heartbeat.release();
      });
    } catch (error) {
      this.#heartbeat.release();
      throw error;
    }
  }

  async #refuseOwn(id: string): Promise<void> {
    for (const journal of this.#journals) {
      if (journal.id !== id || !(await journal.isOwner())) continue;
      throw ownedBy(id, { owner: journal.owner, epoch: journal.epoch });
    }
  }

  /** Checks the ownership of all journals after the heartbeat was too old: other stores may have taken conversations over. */
  #checkOwnership(): void {
    for (const journal of this.#journals)
      journal.isOwner().catch((error: unknown) => this.#context.report({ kind: 'signFailed', error }));
  }

  /** Proves conditional writes once for the store; tries again when the proof failed. */
  #prove(): Promise<void> {
    this.#proof ??= proveConditions(this.#context.bucket, this.#context.keys).catch((error: unknown) => {
      this.#proof = undefined;
      throw error;
    });
    return this.#proof;
  }

  #parts(id: string): TakeOverContext {
    return { context: this.#context, heartbeat: this.#heartbeat, id };
  }
}
