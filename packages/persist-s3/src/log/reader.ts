import {
  StoreError,
  type Commit,
  type CommitRange,
  type CommitSeq,
  type Damage,
  type EventIndex,
  type JournalEnd,
  type KeptState,
  type Snapshot,
} from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { isOtherSnapshot, keptIn, WatchableReader } from '@conv/store-kit';
import type { Bucket } from '../bucket/bucket.ts';
import { findEnd } from './find-end.ts';
import { toThrow } from '../bucket/from-s3-error.ts';
import { acknowledgedEnd, findWholeEnd, goesOn } from './known-ends.ts';
import { locateEvent } from './locate-event.ts';
import { LogObjects } from './log-objects.ts';
import { readManifest, type Manifest } from '../objects/manifest.ts';
import type { WrittenEnds } from './written-ends.ts';
import type { ObjectCache } from '../bucket/object-cache.ts';
import type { ObjectKeys } from '../bucket/object-keys.ts';
import { toEnd, type Place } from '../objects/place.ts';
import { readCommits, type LogView } from './read-commits.ts';
import { readSnapshot } from '../objects/snapshot-object.ts';
import { SlotPlaces } from './slot-places.ts';
import { WatchPace } from './watch-pace.ts';

/** Number of idle looks after which a watch reads the manifest too: the conversation may have been deleted. */
const LOOKS_PER_REFRESH = 16;

/** Number of unpacked slots after which the manifest is read again: packs will hold most of them by then. */
const SLOTS_PER_REFRESH = 256;

/** Factor for the pause between looks when the writer is in this process. */
const SELDOM = 8;

/** Context shared by all readers and journals of a store. */
export interface StoreContext {
  readonly bucket: Bucket;
  readonly keys: ObjectKeys;
  readonly cache: ObjectCache;
  readonly platform: Platform;
  readonly writtenEnds: WrittenEnds;
  /** Longest time between two looks of a watch, in milliseconds. */
  readonly poll: number;
}

/** Reads one conversation. The journal extends it with a view of its own. */
export class S3Reader extends WatchableReader {
  protected readonly context: StoreContext;
  protected readonly objects: LogObjects;
  protected readonly places: SlotPlaces = new SlotPlaces();
  protected view: LogView;

  constructor(context: StoreContext, view: LogView) {
    super(view.manifest.id);
    this.context = context;
    this.view = view;
    const { id, instance } = view.manifest;
    this.objects = new LogObjects(context.bucket, context.cache, context.keys.log(id, instance));
  }

  /** Opens a reader at the end of a log. Reads nothing but the manifest and the place after it if the last owner closed the log. */
  static async open(context: StoreContext, manifest: Manifest): Promise<S3Reader> {
    const reader = new S3Reader(context, { manifest, end: manifest.end });
    if (manifest.clean && !(await goesOn(reader.objects, manifest))) return reader;
    const known = await acknowledgedEnd(context, manifest);
    const { place, headers } = await findWholeEnd({ bucket: context.bucket, id: manifest.id }, reader.objects, known);
    for (const header of headers) reader.places.learn(header);
    reader.#moveTo({ manifest, end: place });
    return reader;
  }

  /** Prefix of the keys of its log. */
  get log(): string {
    return this.objects.log;
  }

  get objectsOfLog(): LogObjects {
    return this.objects;
  }

  get end(): JournalEnd {
    return toEnd(this.view.end);
  }

  /** Manifest and end as last seen. */
  get seen(): LogView {
    return this.view;
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    if (!this.knowsEnd())
      await this.attempt(async () => this.#lookFrom(await this.renew(), { near: true, isNew: true }));
    return this.end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const { view, objects, places } = this;
    const onDamage = (damage: Damage): void => void this.addDamage(damage);
    try {
      const { platform } = this.context;
      yield* readCommits({ platform, view, objects, places, renew: () => this.renew(), onDamage }, range);
    } catch (error) {
      throw toThrow(error, `conversation ${this.id}`);
    }
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    return this.attempt(() => locateEvent(this.objects, this, eventId));
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const { bucket } = this.context;
    return this.attempt(async () => {
      const found = await readSnapshot(bucket, this.objects.log, this.view.end.seq);
      return found && (await isOtherSnapshot(this, found)) ? undefined : found;
    });
  }

  async kept(): Promise<readonly KeptState[]> {
    return keptIn(this.view.manifest.kept, this.id);
  }

  watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit, void, undefined> {
    const { platform, writtenEnds } = this.context;
    const pace = new WatchPace(platform, () => this.longestPause());
    return this.watchWith(
      {
        follow: (ring) =>
          writtenEnds.subscribe(this.objects.log, () => {
            pace.tell();
            ring();
          }),
        look: async (next) => {
          const end = await this.attempt(() => this.look(pace));
          pace.looked(end.seq > next);
          return end;
        },
        wait: (bell) => pace.wait(bell),
        // Each failed look doubles the time to the next one.
        onUnavailable: () => pace.looked(false),
      },
      from,
      signal,
    );
  }

  /** Returns the longest time between two looks; a writer in this process tells of each change. */
  protected longestPause(): number {
    const { writtenEnds, poll } = this.context;
    return writtenEnds.endOf(this.objects.log) ? poll * SELDOM : poll;
  }

  /** Looks for the end of the log now. */
  protected async look({ idle, timedOut }: WatchPace): Promise<JournalEnd> {
    if (this.knowsEnd()) return this.end;
    const { writtenEnds } = this.context;
    const told = writtenEnds.endOf(this.objects.log);
    if (told && told.seq > this.view.end.seq) this.view = { ...this.view, end: told };
    else if (idle % LOOKS_PER_REFRESH === LOOKS_PER_REFRESH - 1) await this.refresh();
    else if (!told || timedOut) await this.#lookFrom(this.view.manifest, { near: true, isNew: false });
    // Another process has written after our writer's end, so our writer was taken over from and does not know it yet.
    if (told && timedOut && this.view.end.seq > told.seq) writtenEnds.leave(this.objects.log);
    if (this.view.end.slot - this.view.manifest.packed.slot > SLOTS_PER_REFRESH) await this.refresh();
    return this.end;
  }

  /** True for a journal, whose commits alone move the end. */
  protected knowsEnd(): boolean {
    return false;
  }

  protected async attempt<Value>(action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      throw toThrow(error, `conversation ${this.id}`);
    }
  }

  /** Reads the manifest now. Rejects `NOT_FOUND` when the conversation was deleted since. */
  protected async renew(): Promise<Manifest> {
    const { bucket, keys } = this.context;
    const { id, instance } = this.view.manifest;
    const stored = await readManifest(bucket, keys.manifest(id));
    const manifest = stored?.manifest;
    if (!manifest || manifest.deleted || manifest.instance !== instance) {
      throw new StoreError('NOT_FOUND', `conversation ${id} was deleted; open another one, or make it anew`);
    }
    return manifest;
  }

  /** Moves the end to the end of the log, at least to the one in the manifest. `isNew`: the manifest was read just now. */
  async #lookFrom(manifest: Manifest, options: { readonly near: boolean; readonly isNew: boolean }): Promise<void> {
    const known = manifest.end.slot > this.view.end.slot ? manifest.end : this.view.end;
    this.#moveTo({ manifest, end: known });
    if (manifest.clean && options.isNew) return;
    const { place, headers } = await findEnd(this.objects, known, options);
    for (const header of headers) this.places.learn(header);
    this.#moveTo({ manifest, end: place });
  }

  /** Moves the view forward. Several looks may be under way, so the end never moves back. */
  #moveTo({ manifest, end }: { manifest: Manifest; end: Place }): void {
    const now = this.view.end;
    const last = end.slot > now.slot || (end.slot === now.slot && end.seq > now.seq) ? end : now;
    this.view = { manifest, end: last };
    this.places.forgetBefore(manifest.packed);
  }
}
