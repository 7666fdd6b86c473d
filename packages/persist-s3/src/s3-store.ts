import { checkOptionNames, describeValue, type OptionNames } from '@conv/core';
import type { S3Client } from '@aws-sdk/client-s3';
import {
  checkOpenOptions,
  listPage,
  StoreError,
  toConversationId,
  type CheckOptions,
  type CheckResult,
  type ConversationStore,
  type ForkOptions,
  type Journal,
  type JournalReader,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
} from '@conv/core/store';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { MAX_COMMIT_BYTES } from '@conv/store-kit';
import { Bucket } from './bucket.ts';
import { checkConversation } from './check-conversation.ts';
import { checkManifest } from './check-manifest.ts';
import { deleteConversation } from './delete-conversation.ts';
import type { Report } from './finding.ts';
import { assertFree, forkConversation } from './fork-conversation.ts';
import { toThrow } from './from-s3-error.ts';
import { S3Journal, type JournalContext } from './journal.ts';
import type { KnownEnd } from './known-ends.ts';
import { refuseLost } from './lost-manifest.ts';
import { readManifest } from './manifest.ts';
import { WrittenEnds } from './written-ends.ts';
import { ObjectCache } from './object-cache.ts';
import { ObjectKeys } from './object-keys.ts';
import { proveConditions } from './prove-conditions.ts';
import { S3Reader } from './reader.ts';
import { ServerSign } from './server-sign.ts';
import { Summaries } from './summaries.ts';
import { takeOver, type TakeOverContext } from './take-over.ts';
import { Turns, TurnsByKey } from './turns.ts';

const PACKING_AT_ONCE = 2;

/** Options of an {@link S3Store}. */
export interface S3StoreOptions {
  /** Client of the caller; the store never closes it. Its region, endpoint, credentials and timeouts apply. */
  readonly client: S3Client;
  /** Name of an existing bucket; the store makes none. */
  readonly bucket: string;
  /** Prefix of all keys, such as `production/`. Default empty. */
  readonly prefix?: string;
  /**
   * Milliseconds that commits wait for others to share a request with. Default 0: commits that arrive during a request share the
   * next one.
   */
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
export class S3Store implements ConversationStore {
  readonly features: StoreFeatures = {
    durability: 'machine',
    exclusion: 'cluster',
    shared: true,
    maxCommitBytes: MAX_COMMIT_BYTES,
  };
  readonly #context: JournalContext;
  readonly #sign: ServerSign;
  readonly #summaries: Summaries;
  readonly #turns = new TurnsByKey();
  readonly #journals = new Map<string, S3Journal>();
  readonly #readers = new Set<S3Reader>();
  #proof: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: S3StoreOptions) {
    checkOptionNames('new S3Store', options, NAMES);
    const { client, prefix = '', linger = 0, leaseTimeout = 15_000, poll = 2000, platform = systemPlatform } = options;
    if (typeof options.bucket !== 'string' || options.bucket === '')
      throw new TypeError(`new S3Store: bucket: expected the name of a bucket, found ${describeValue(options.bucket)}`);
    if (/[/:]/.test(options.bucket))
      throw new TypeError(
        'new S3Store: bucket: expected the name of a bucket alone, found a path or a URL; what stands behind the bucket is the prefix',
      );
    if (typeof client?.send !== 'function')
      throw new TypeError(
        `new S3Store: client: expected an S3Client of @aws-sdk/client-s3, found ${describeValue(client)}`,
      );
    if (!(leaseTimeout >= 3000))
      throw new TypeError(`leaseTimeout must be at least 3000 milliseconds, not ${leaseTimeout}`);
    if (!(linger >= 0)) throw new TypeError(`linger must be 0 or more milliseconds, not ${linger}`);
    if (!(poll > 0)) throw new TypeError(`poll must be more than 0 milliseconds, not ${poll}`);
    const bucket = new Bucket(client, options.bucket, platform);
    const keys = new ObjectKeys(prefix);
    const report = options.report ?? ((): void => {});
    const cache = new ObjectCache(options.cacheBytes ?? 32 * 1024 * 1024);
    const packing = new Turns(PACKING_AT_ONCE);
    this.#context = { bucket, keys, cache, platform, writtenEnds: new WrittenEnds(), poll, report, packing, linger };
    const onStalled = (): void => this.#checkOwnership();
    const ends = (): readonly KnownEnd[] => [...this.#journals.values()].flatMap(({ newEnd }) => newEnd ?? []);
    this.#sign = new ServerSign({ bucket, keys, platform, report, leaseTimeout, onStalled, ends });
    this.#summaries = new Summaries(bucket, keys, platform);
  }

  async open(id: string, options: OpenOptions): Promise<Journal> {
    checkOpenOptions(options);
    options.signal?.throwIfAborted();
    const dashed = this.#id(id);
    const subject = `conversation ${dashed}`;
    return this.#attempt(subject, () => this.#turns.run(dashed, () => this.#open(dashed, options)), options.signal);
  }

  async read(id: string): Promise<JournalReader | undefined> {
    const dashed = this.#id(id);
    return this.#attempt(`conversation ${dashed}`, () => this.#read(dashed));
  }

  async list(query: ListQuery = {}): Promise<ListPage> {
    this.#assertOpen();
    return this.#attempt(this.#name, async () => {
      const summaries = query.page === undefined ? this.#summaries.all() : this.#summaries.forNextPage();
      return listPage(await summaries, query);
    });
  }

  async fork(id: string, newId: string, options: ForkOptions): Promise<void> {
    const [from, to] = [this.#id(id), this.#id(newId)];
    await this.#attempt(`conversation ${to}`, () => this.#turns.run(to, () => this.#fork(from, to, options)));
  }

  async delete(id: string): Promise<void> {
    const dashed = this.#id(id);
    await this.#attempt(`conversation ${dashed}`, () =>
      this.#turns.run(dashed, async () => {
        await this.#refuseOwn(dashed);
        await this.#prove();
        await deleteConversation(this.#parts(dashed));
        this.#summaries.deleted();
      }),
    );
  }

  async check(id: string | undefined, options: CheckOptions = {}): Promise<CheckResult> {
    this.#assertOpen();
    options.signal?.throwIfAborted();
    if (id === undefined) return { commits: 0, events: 0, findings: [] };
    const dashed = this.#id(id);
    return this.#attempt(`conversation ${dashed}`, () => this.#check(dashed, options));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #check(id: string, options: CheckOptions): Promise<CheckResult> {
    const { repair = false } = options;
    const rebuilt = await checkManifest(this.#context, id, repair);
    const owner = `repair, pid ${process.pid}`;
    const journal = repair ? await this.#turns.run(id, () => this.#open(id, { create: 'never', owner })) : undefined;
    const reader = journal ?? (await this.#read(id));
    if (!reader) throw new StoreError('NOT_FOUND', `conversation ${id} is not in this store`);
    try {
      const { findings, ...read } = await checkConversation(this.#context, reader, options);
      return { ...read, findings: [...rebuilt, ...findings] };
    } finally {
      await reader.close();
    }
  }

  async #open(id: string, options: OpenOptions): Promise<S3Journal> {
    const { signal } = options;
    this.#assertOpen();
    signal?.throwIfAborted();
    await this.#refuseOwn(id);
    if (options.create === 'never') await this.#assertThere(id, signal);
    await this.#prove();
    // The heartbeat must be fresh before the manifest names this store as owner, or others could take over at once.
    await this.#sign.hold();
    try {
      const journal = new S3Journal(this.#context, await takeOver(this.#parts(id), options));
      journal.onClosed = () => {
        // A lost journal may have a successor in this store; keep that.
        if (this.#journals.get(id) === journal) this.#journals.delete(id);
        this.#sign.release();
      };
      this.#journals.set(id, journal);
      if (!signal?.aborted && !this.#closing) return journal;
      await journal.close();
    } catch (error) {
      this.#sign.release();
      throw error;
    }
    signal?.throwIfAborted();
    throw new StoreError('CLOSED', this.#name);
  }

  async #read(id: string): Promise<S3Reader | undefined> {
    const { bucket, keys } = this.#context;
    const stored = await readManifest(bucket, keys.manifest(id));
    if (!stored) await refuseLost(this.#context, id);
    if (!stored || stored.manifest.deleted) return undefined;
    const reader = await S3Reader.open(this.#context, stored.manifest);
    this.#readers.add(reader);
    reader.onClosed = () => this.#readers.delete(reader);
    if (this.#closing) await reader.close();
    return reader;
  }

  async #fork(from: string, to: string, options: ForkOptions): Promise<void> {
    const source = await this.#read(from);
    if (!source) throw new StoreError('NOT_FOUND', `conversation ${from} is not in this store`);
    try {
      await assertFree(this.#context, to);
      await this.#prove();
      const writer = this.#journals.get(from);
      const fields = writer?.end.seq === source.end.seq ? writer.fields : undefined;
      await forkConversation({ context: this.#context, source, id: to, fields }, options);
    } finally {
      await source.close();
    }
  }

  /** Rejects `NOT_FOUND` before anything is written to the bucket. */
  async #assertThere(id: string, signal: AbortSignal | undefined): Promise<void> {
    const { bucket, keys } = this.#context;
    const stored = await readManifest(bucket, keys.manifest(id), signal);
    if (!stored) await refuseLost(this.#context, id);
    if (!stored || stored.manifest.deleted)
      throw new StoreError('NOT_FOUND', `conversation ${id} is not in this store`);
  }

  async #refuseOwn(id: string): Promise<void> {
    const journal = this.#journals.get(id);
    if (!journal || !(await journal.isOwner())) return;
    const { owner, epoch } = journal;
    throw new StoreError('OWNED', `conversation ${id} is owned by ${owner}`, { owner: { owner, epoch } });
  }

  /** Checks the ownership of all journals after the heartbeat was too old: other stores may have taken conversations over. */
  #checkOwnership(): void {
    for (const journal of this.#journals.values()) {
      journal.isOwner().catch((error: unknown) => this.#context.report({ kind: 'signFailed', error }));
    }
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
    return { context: this.#context, sign: this.#sign, id };
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#journals.values(), ...this.#readers].map((opened) => opened.close()));
    await this.#sign.lower().catch((error: unknown) => this.#context.report({ kind: 'signFailed', error }));
  }

  get #name(): string {
    return `bucket ${this.#context.bucket.name}`;
  }

  #id(id: string): string {
    this.#assertOpen();
    return toConversationId(id);
  }

  #assertOpen(): void {
    if (this.#closing) throw new StoreError('CLOSED', this.#name);
  }

  async #attempt<Value>(subject: string, action: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw error;
      throw toThrow(error, subject);
    }
  }
}
