import type { StateFields } from '@conv/core';
import {
  StoreError,
  type Commit,
  type Journal,
  type JournalEnd,
  type NewCommit,
  type Snapshot,
} from '@conv/core/store';
import { AppendQueue, type PendingAppend } from './append-queue.ts';
import { Changes } from './changes.ts';
import { pause } from './clock.ts';
import { commitBody, encodeCommit, numberedCommit, type CommitNumbers } from './commit-line.ts';
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

/** The largest commit, in bytes of JSON. */
export const MAX_COMMIT_BYTES: number = 16 * 1024 * 1024;

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
  readonly #queue = new AppendQueue();
  readonly #lost = new AbortController();
  /** Why nothing can be appended any more, though nobody has taken over. */
  #broken: StoreError | undefined;
  #running: Promise<void> | undefined;
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
    if (this.lost.aborted || this.closed) return false;
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
      const body = commitBody(commit);
      const bytes = Buffer.byteLength(body.text);
      const size = `commit ${commit.id} of conversation ${this.id} has ${bytes} bytes`;
      const refusal =
        bytes > MAX_COMMIT_BYTES
          ? new StoreError('TOO_LARGE', `${size}, at most ${MAX_COMMIT_BYTES} are taken`)
          : undefined;
      this.#queue.add({ body, after, resolve, reject, refusal });
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
    if (snapshot.seq > this.view.end.seq) return;
    await this.attempt(() => writeSnapshot(this.context.bucket, this.objects.log, snapshot));
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  protected override changes(signal: AbortSignal): Changes {
    const { clock, news } = this.context;
    const told = (changed: () => void): (() => void) => news.subscribe(this.objects.log, changed);
    return new Changes({ signal, clock, longest: () => Infinity }, told);
  }

  protected override async look(): Promise<JournalEnd> {
    return this.end;
  }

  /** The owner's manifest is the current one, unless it is the owner no more. */
  protected override async renew(): Promise<Manifest> {
    return this.lost.aborted ? super.renew() : this.#upkeep.manifest;
  }

  async #run(): Promise<void> {
    // Appends of one turn of the event loop share a request.
    await Promise.resolve();
    while (!this.#queue.isEmpty) {
      if (this.context.linger > 0) await pause(this.context.clock, this.context.linger);
      await this.#upkeep.room();
      const group = this.#queue.takeGroup();
      if (group.length > 0) await this.#store(group);
      else this.#queue.settleRefusal();
    }
    this.#running = undefined;
  }

  async #store(group: readonly PendingAppend[]): Promise<void> {
    try {
      if (this.lost.aborted) throw this.lost.reason;
      if (this.#broken) throw this.#broken;
      const numbers = this.#numbers(group);
      const lines = group.map(({ body }, at) => encodeCommit(body, numbers[at] as CommitNumbers));
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

  #numbers(group: readonly PendingAppend[]): CommitNumbers[] {
    const { seq, event } = this.#writer.place;
    let firstEvent = event;
    return group.map(({ body }, at) => {
      const numbers = { seq: seq + at, epoch: this.epoch, firstEvent };
      firstEvent += body.commit.events.length;
      return numbers;
    });
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
    for (const { reject } of group) reject(reason);
    this.#queue.rejectAll(reason);
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
    await this.#running;
    await this.#upkeep.end({ clean: !this.#broken, lost: this.lost.aborted });
    this.context.news.leave(this.objects.log);
    await super.close();
  }
}
