import type { StateFields } from '@conv/core';
import type { StoreError, Commit, Journal, NewCommit, Snapshot } from '@conv/core/store';
import { timers } from '@conv/core/platform';
import { acknowledge, JournalWrites, numbersOf, type BodyAppend, type CommitNumbers } from '@conv/store-kit';
import { bodyLine } from '../objects/commit-line.ts';
import { fenced } from '../log/fenced.ts';
import type { Report } from './finding.ts';
import { fromS3Error } from '../bucket/from-s3-error.ts';
import type { KnownEnd } from '../log/known-ends.ts';
import type { ManifestCell } from './manifest-cell.ts';
import { readManifest, type Manifest, type Pack } from '../objects/manifest.ts';
import { S3Reader, type StoreContext } from '../log/reader.ts';
import type { SlotWriter } from '../log/slot-writer.ts';
import { writeSnapshot } from '../objects/snapshot-object.ts';
import type { LimitedTurns } from '../bucket/limited-turns.ts';
import { Upkeep } from './upkeep.ts';

/** Limits the commits and characters in one slot. */
const GROUP = { commits: 1024, size: 4 * 1024 * 1024 };

/** Parts of a journal; `takeOver` gathers them. */
export interface JournalParts {
  readonly owner: string;
  readonly cell: ManifestCell;
  readonly writer: SlotWriter;
  /** Slots in which earlier owners find that they were taken over from. */
  readonly fences: readonly number[];
}

/** Context shared by all journals of a store. */
export interface JournalContext extends StoreContext {
  readonly report: Report;
  readonly packing: LimitedTurns;
  /** Milliseconds that a group of commits waits for more commits. */
  readonly linger: number;
}

/** Writes one conversation. A slot is created only where none is: a later owner's fence stops this journal without a clock. */
export class S3Journal extends S3Reader implements Journal {
  /** Name that the opener gave. */
  readonly owner: string;
  protected override readonly context: JournalContext;
  readonly #writer: SlotWriter;
  readonly #upkeep: Upkeep;
  readonly #writes: JournalWrites;
  /** Reason why appends are refused although no other owner has taken over: the outcome of a commit is unknown. */
  #broken: StoreError | undefined;

  constructor(context: JournalContext, { owner, cell, writer, fences }: JournalParts) {
    super(context, { manifest: cell.value, end: writer.place });
    const [gather, store] = [() => this.#gather(), (group: readonly BodyAppend[]) => this.#store(group)];
    this.#writes = new JournalWrites(this.id, { limits: GROUP, gather, store });
    this.context = context;
    this.owner = owner;
    this.#writer = writer;
    const { bucket, platform, packing, report } = context;
    this.#upkeep = new Upkeep({
      bucket,
      platform,
      packing,
      report,
      cell,
      fences,
      objects: this.objects,
      place: () => writer.place,
      onFenced: (reason) => this.#lose(reason),
    });
    context.writtenEnds.announce(this.objects.log, writer.place);
  }

  get epoch(): number {
    return this.#writer.epoch;
  }

  get lost(): AbortSignal {
    return this.#writes.lost;
  }

  /** State at the durable end; `undefined` before the first append of this journal. */
  get fields(): StateFields | undefined {
    return this.#upkeep.fields;
  }

  /** Durable end of the log, if the manifest does not record it yet. The heartbeat carries it (docs/decisions/0051-s3-ends.md). */
  get newEnd(): KnownEnd | undefined {
    const { manifest } = this.#upkeep;
    const { place } = this.#writer;
    if (this.lost.aborted || place.slot <= manifest.end.slot) return undefined;
    return { id: this.id, instance: manifest.instance, ...place };
  }

  /** Nonces of the manifests that may still name this owner, if the closed journal could not release the conversation. */
  get unreleased(): readonly string[] {
    return this.#upkeep.unreleased(this.lost.aborted);
  }

  async replacePack(damaged: Pack, whole: Pack): Promise<void> {
    await this.#upkeep.replacePack(damaged, whole);
    this.view = { ...this.view, manifest: this.#upkeep.manifest };
  }

  /** Rewrites the summary that lists show from the state of the log. */
  async restate(fields: StateFields): Promise<void> {
    await this.#upkeep.restate(fields);
    this.view = { ...this.view, manifest: this.#upkeep.manifest };
  }

  /** True if this journal still owns the conversation, by its manifest. Otherwise the journal is lost from here on. */
  async isOwner(): Promise<boolean> {
    if (this.lost.aborted || this.isClosed) return false;
    const { bucket, keys } = this.context;
    const stored = await readManifest(bucket, keys.manifest(this.id));
    const { epoch, instance } = this.#upkeep.manifest;
    if (stored?.manifest.epoch === epoch && stored.manifest.instance === instance) return true;
    this.#lose(fenced(this.id));
    return false;
  }

  async append(commit: NewCommit, after: StateFields): Promise<Commit> {
    this.#assertWritable();
    return this.#writes.append(commit, after);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#assertWritable();
    // Leave out a snapshot that is ahead of the log: readers would have to reject it later.
    if (snapshot.seq > this.view.end.seq) return;
    await this.attempt(() => writeSnapshot(this.context.bucket, this.objects.log, snapshot));
  }

  override close(): Promise<void> {
    return this.#writes.close(() => this.#close());
  }

  protected override longestPause(): number {
    return Infinity;
  }

  protected override knowsEnd(): boolean {
    return true;
  }

  /** Returns the owner's own manifest, which is the current version until the journal is lost. */
  protected override async renew(): Promise<Manifest> {
    return this.lost.aborted ? super.renew() : this.#upkeep.manifest;
  }

  async #gather(): Promise<void> {
    if (this.context.linger > 0) await timers.sleep(this.context.platform, this.context.linger);
    await this.#upkeep.room();
  }

  async #store(group: readonly BodyAppend[]): Promise<void> {
    try {
      if (this.lost.aborted) throw this.lost.reason;
      if (this.#broken) throw this.#broken;
      const { seq, event: firstEvent } = this.#writer.place;
      const { numbers, event } = numbersOf(group, { seq, epoch: this.epoch, firstEvent });
      const lines = group.map(({ body }, at) => bodyLine(body, numbers[at] as CommitNumbers));
      // Invariant: one group at a time. `write` resolves once the slot is durable, or rejects `FENCED` when another owner has
      // this slot.
      const header = await this.#writer.write({ kind: 'commits', lines, events: event - firstEvent });
      this.places.learn(header);
      const bytes = lines.reduce((sum, line) => sum + line.length, 0);
      const copied = this.#upkeep.stored(bytes, (group.at(-1) as BodyAppend).after);
      this.#show();
      // Settings are acknowledged only with their copy in the manifest
      // (docs/decisions/0064-settings-are-acknowledged-with-their-copy.md).
      await copied;
      acknowledge(group, numbers);
    } catch (error) {
      const reason = fromS3Error(error, `conversation ${this.id}`);
      if (reason.code === 'FENCED') this.#lose(reason);
      // The slot may hold the commit or not, so no later commit can be numbered.
      if (reason.code === 'OUTCOME_UNKNOWN') this.#broken = reason;
      throw reason;
    }
  }

  /** Shows the durable end to readers, here and in the whole store. */
  #show(): void {
    const { manifest } = this.#upkeep;
    if (manifest.packed.slot > this.view.manifest.packed.slot) this.places.forgetBefore(manifest.packed);
    this.view = { manifest, end: this.#writer.place };
    this.context.writtenEnds.announce(this.objects.log, this.#writer.place);
  }

  #lose(reason: unknown): void {
    if (this.#writes.lose(reason)) this.context.writtenEnds.leave(this.objects.log);
  }

  #assertWritable(): void {
    this.#writes.assert();
    if (this.#broken) throw this.#broken;
  }

  async #close(): Promise<void> {
    await this.#upkeep.end({ clean: !this.#broken, lost: this.lost.aborted });
    this.context.writtenEnds.leave(this.objects.log);
    await super.close();
  }
}
