import type { StateFields } from '@conv/core';
import {
  StoreError,
  type Commit,
  type Journal,
  type JournalEnd,
  type NewCommit,
  type Snapshot,
} from '@conv/core/store';
import {
  AppendQueue,
  bodyBytes,
  commitTooLarge,
  consecutiveNumbers,
  numberedCommit,
  toCommitBody,
  type CommitBody,
  type CommitNumbers,
  type WaitingAppend,
} from '@conv/store-kit';
import { pause } from './clock.ts';
import { bodyLine } from './commit-line.ts';
import { fenced } from './fenced.ts';
import type { Report } from './finding.ts';
import { fromS3Error } from './from-s3-error.ts';
import type { KnownEnd } from './known-ends.ts';
import type { ManifestCell } from './manifest-cell.ts';
import { readManifest, type Manifest, type Pack } from './manifest.ts';
import { S3Reader, type StoreContext } from './reader.ts';
import type { SlotWriter } from './slot-writer.ts';
import { writeSnapshot } from './snapshot-object.ts';
import type { Turns } from './turns.ts';
import { Upkeep } from './upkeep.ts';

/** One slot holds at most this many commits and characters. */
const GROUP = { commits: 1024, size: 4 * 1024 * 1024 };

/** A commit on its way to the bucket. */
interface PendingAppend extends WaitingAppend {
  readonly body: CommitBody;
  /** The state with the commit applied. */
  readonly after: StateFields;
  readonly resolve: (commit: Commit) => void;
}

/** What a journal is made of; `takeOver` gathers it. */
export interface JournalParts {
  readonly owner: string;
  readonly cell: ManifestCell;
  readonly writer: SlotWriter;
  /** Slots in which earlier owners find that they were taken over from. */
  readonly fences: readonly number[];
}

/** What the journals of a store have in common. */
export interface JournalContext extends StoreContext {
  readonly report: Report;
  readonly packing: Turns;
  /** Milliseconds that a group of commits waits for more. */
  readonly linger: number;
}

/** Writes one conversation. */
export class S3Journal extends S3Reader implements Journal {
  /** What its opener called itself. */
  readonly owner: string;
  protected override readonly context: JournalContext;
  readonly #writer: SlotWriter;
  readonly #upkeep: Upkeep;
  readonly #queue = new AppendQueue<PendingAppend>({
    limits: GROUP,
    gather: () => this.#gather(),
    store: (group) => this.#store(group),
  });
  readonly #lost = new AbortController();
  /** Why nothing can be appended any more, though nobody has taken over. */
  #broken: StoreError | undefined;
  #closing: Promise<void> | undefined;

  constructor(context: JournalContext, { owner, cell, writer, fences }: JournalParts) {
    super(context, { manifest: cell.value, end: writer.place });
    this.context = context;
    this.owner = owner;
    this.#writer = writer;
    const { bucket, clock, packing, report } = context;
    this.#upkeep = new Upkeep({
      bucket,
      clock,
      packing,
      report,
      cell,
      fences,
      objects: this.objects,
      place: () => writer.place,
      onFenced: (reason) => this.#lose(reason),
    });
    context.news.announce(this.objects.log, writer.place);
  }

  get epoch(): number {
    return this.#writer.epoch;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** The state at the durable end; `undefined` when this journal has appended nothing yet. */
  get fields(): StateFields | undefined {
    return this.#upkeep.fields;
  }

  /** How far its log goes, when its manifest does not say so. */
  get newEnd(): KnownEnd | undefined {
    const { manifest } = this.#upkeep;
    const { place } = this.#writer;
    if (this.lost.aborted || place.slot <= manifest.end.slot) return undefined;
    return { id: this.id, instance: manifest.instance, ...place };
  }

  /** Puts a pack in the place of one that is damaged. */
  async replacePack(damaged: Pack, whole: Pack): Promise<void> {
    await this.#upkeep.replacePack(damaged, whole);
    this.view = { ...this.view, manifest: this.#upkeep.manifest };
  }

  /** Has lists say what the log comes to. */
  async restate(fields: StateFields): Promise<void> {
    await this.#upkeep.restate(fields);
    this.view = { ...this.view, manifest: this.#upkeep.manifest };
  }

  /** Whether nobody has taken the conversation over. If somebody has, the journal is lost from here on. */
  async isOwner(): Promise<boolean> {
    if (this.lost.aborted || this.isClosed) return false;
    const { bucket, keys } = this.context;
    const stored = await readManifest(bucket, keys.manifest(this.id));
    const { epoch, instance } = this.#upkeep.manifest;
    if (stored?.manifest.epoch === epoch && stored.manifest.instance === instance) return true;
    this.#lose(fenced(this.id));
    return false;
  }

  append(commit: NewCommit, after: StateFields): Promise<Commit> {
    return new Promise((resolve, reject) => {
      this.#assertWritable();
      const body = toCommitBody(commit);
      const refusal = commitTooLarge({ id: commit.id, conversationId: this.id, bytes: bodyBytes(body) });
      this.#queue.add({ body, size: body.members.length, after, resolve, reject, refusal });
    });
  }

  override async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    return this.end;
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#assertWritable();
    // One that is ahead would have to be told from the log later; it costs nothing to leave it out now.
    if (snapshot.seq > this.view.end.seq) return;
    await this.attempt(() => writeSnapshot(this.context.bucket, this.objects.log, snapshot));
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  protected override longestPause(): number {
    return Infinity;
  }

  protected override async look(): Promise<JournalEnd> {
    return this.end;
  }

  /** The owner's manifest is the current one, unless it is the owner no more. */
  protected override async renew(): Promise<Manifest> {
    return this.lost.aborted ? super.renew() : this.#upkeep.manifest;
  }

  async #gather(): Promise<void> {
    if (this.context.linger > 0) await pause(this.context.clock, this.context.linger);
    await this.#upkeep.room();
  }

  async #store(group: readonly PendingAppend[]): Promise<void> {
    try {
      if (this.lost.aborted) throw this.lost.reason;
      if (this.#broken) throw this.#broken;
      const { seq, event: firstEvent } = this.#writer.place;
      const commits = group.map(({ body }) => body.commit);
      const numbers = consecutiveNumbers(commits, { seq, epoch: this.epoch, firstEvent });
      const lines = group.map(({ body }, at) => bodyLine(body, numbers[at] as CommitNumbers));
      const events = group.reduce((sum, { body }) => sum + body.commit.events.length, 0);
      const header = await this.#writer.write({ kind: 'commits', lines, events });
      this.places.learn(header);
      const bytes = lines.reduce((sum, line) => sum + line.length, 0);
      const copied = this.#upkeep.stored(bytes, (group.at(-1) as PendingAppend).after);
      this.#show();
      await copied;
      for (const [at, { body, resolve }] of group.entries()) {
        resolve(numberedCommit(body.commit, numbers[at] as CommitNumbers));
      }
    } catch (error) {
      this.#refuse(group, fromS3Error(error, `conversation ${this.id}`));
    }
  }

  /** What is durable can be read, here and by all readers of the store. */
  #show(): void {
    const { manifest } = this.#upkeep;
    if (manifest.packed.slot > this.view.manifest.packed.slot) this.places.forgetBefore(manifest.packed);
    this.view = { manifest, end: this.#writer.place };
    this.context.news.announce(this.objects.log, this.#writer.place);
  }

  #refuse(group: readonly PendingAppend[], reason: StoreError): void {
    if (reason.code === 'FENCED') this.#lose(reason);
    if (reason.code === 'OUTCOME_UNKNOWN') this.#broken = reason;
    this.#queue.refuse(group, reason);
  }

  #lose(reason: unknown): void {
    if (this.lost.aborted) return;
    this.#lost.abort(reason);
    this.context.news.leave(this.objects.log);
  }

  #assertWritable(): void {
    if (this.#closing) throw new StoreError('CLOSED', `conversation ${this.id}`);
    if (this.lost.aborted) throw this.lost.reason;
    if (this.#broken) throw this.#broken;
  }

  async #close(): Promise<void> {
    await this.#queue.settled();
    await this.#upkeep.end({ clean: !this.#broken, lost: this.lost.aborted });
    this.context.news.leave(this.objects.log);
    await super.close();
  }
}
