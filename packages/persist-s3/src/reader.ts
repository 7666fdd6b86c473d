import {
  StoreError,
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
import { keptIn, WatchableReader } from '@conv/store-kit';
import type { Bucket } from './bucket.ts';
import type { Clock } from './clock.ts';
import { findEnd } from './find-end.ts';
import { toThrow } from './from-s3-error.ts';
import { acknowledgedEnd, findWholeEnd } from './known-ends.ts';
import { locateEvent } from './locate-event.ts';
import { LogObjects } from './log-objects.ts';
import { readManifest, type Manifest } from './manifest.ts';
import type { News } from './news.ts';
import type { ObjectCache } from './object-cache.ts';
import type { ObjectKeys } from './object-keys.ts';
import { toEnd, type Place } from './place.ts';
import { readCommits, type LogView } from './read-commits.ts';
import { readSnapshot } from './snapshot-object.ts';
import { SlotPlaces } from './slot-places.ts';
import { WatchPace } from './watch-pace.ts';

/** Idle looks of a watcher after which it looks at the manifest, too: a conversation may have been deleted. */
const LOOKS_PER_REFRESH = 16;

/** Slots beyond the packs that were last seen, after which the manifest is read anew: there will be packs for most of them. */
const SLOTS_PER_REFRESH = 256;

/** The part of looks that is left when the writer is in this process. */
const SELDOM = 8;

/** What all readers and journals of a store have in common. */
export interface StoreContext {
  readonly bucket: Bucket;
  readonly keys: ObjectKeys;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly news: News;
  /** The longest time between two looks of a watcher, in milliseconds. */
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

  /** Opens a reader at the end of a log. */
  static async open(context: StoreContext, manifest: Manifest): Promise<S3Reader> {
    const reader = new S3Reader(context, { manifest, end: manifest.end });
    if (manifest.clean) return reader;
    const known = await acknowledgedEnd(context, manifest);
    const { place, headers } = await findWholeEnd(context.bucket, reader.objects, known);
    for (const header of headers) reader.places.learn(header);
    reader.#moveTo({ manifest, end: place });
    return reader;
  }

  /** What the keys of its log begin with. */
  get log(): string {
    return this.objects.log;
  }

  /** The objects of its log. */
  get objectsOfLog(): LogObjects {
    return this.objects;
  }

  get end(): JournalEnd {
    return toEnd(this.view.end);
  }

  /** The manifest and the end as last seen. */
  get seen(): LogView {
    return this.view;
  }

  async refresh(): Promise<JournalEnd> {
    this.assertOpen();
    await this.attempt(async () => this.#lookFrom(await this.renew(), { near: true, isNew: true }));
    return this.end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit, void, undefined> {
    this.assertOpen();
    const { view, objects, places } = this;
    const onDamage = (damage: Damage): void => void this.addDamage(damage);
    try {
      yield* readCommits({ view, objects, places, renew: () => this.renew(), onDamage }, range);
    } catch (error) {
      throw toThrow(error, `conversation ${this.id}`);
    }
  }

  async locate(eventId: string): Promise<EventIndex | undefined> {
    this.assertOpen();
    const found = await this.attempt(() => locateEvent(this.objects, this, eventId));
    return found === undefined ? undefined : toEventIndex(found);
  }

  async snapshot(): Promise<Snapshot | undefined> {
    this.assertOpen();
    const { bucket } = this.context;
    return this.attempt(() => readSnapshot(bucket, this.objects.log, this.view.end.seq));
  }

  async kept(): Promise<readonly KeptState[]> {
    return keptIn(this.view.manifest.kept);
  }

  watch(from: CommitSeq, signal: AbortSignal): AsyncGenerator<Commit, void, undefined> {
    const { clock, news } = this.context;
    const pace = new WatchPace(clock, () => this.longestPause());
    return this.watchWith(
      {
        follow: (ring) =>
          news.subscribe(this.objects.log, () => {
            pace.tell();
            ring();
          }),
        look: async (next) => {
          const end = await this.attempt(() => this.look(pace));
          pace.looked(end.seq > next);
          return end;
        },
        wait: (bell) => pace.wait(bell),
        // Each look that fails doubles the time to the next.
        onUnavailable: () => pace.looked(false),
      },
      from,
      signal,
    );
  }

  /**
   * The longest time between two looks of a watch, in milliseconds. A writer in this process tells of each change, so that other
   * writers are seldom looked for.
   */
  protected longestPause(): number {
    const { news, poll } = this.context;
    return news.endOf(this.objects.log) ? poll * SELDOM : poll;
  }

  /** Looks where the log ends now. */
  protected async look({ idle, timedOut }: WatchPace): Promise<JournalEnd> {
    const { news } = this.context;
    const told = news.endOf(this.objects.log);
    if (told && told.seq > this.view.end.seq) this.view = { ...this.view, end: told };
    else if (idle % LOOKS_PER_REFRESH === LOOKS_PER_REFRESH - 1) await this.refresh();
    else if (!told || timedOut) await this.#lookFrom(this.view.manifest, { near: true, isNew: false });
    // Somebody else has written: the writer here is one that was taken over from and does not know it yet.
    if (told && timedOut && this.view.end.seq > told.seq) news.leave(this.objects.log);
    if (this.view.end.slot - this.view.manifest.packed.slot > SLOTS_PER_REFRESH) await this.refresh();
    return this.end;
  }

  protected async attempt<Value>(action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      throw toThrow(error, `conversation ${this.id}`);
    }
  }

  /** The manifest as it is now. Rejects `NOT_FOUND` when the conversation was deleted since. */
  protected async renew(): Promise<Manifest> {
    const { bucket, keys } = this.context;
    const { id, instance } = this.view.manifest;
    const stored = await readManifest(bucket, keys.manifest(id));
    const manifest = stored?.manifest;
    if (!manifest || manifest.deleted || manifest.instance !== instance) {
      throw new StoreError('NOT_FOUND', `conversation ${id} was deleted`);
    }
    return manifest;
  }

  /** Moves the end to where the log ends, at least to where the manifest says. `isNew`: it was read just now. */
  async #lookFrom(manifest: Manifest, options: { readonly near: boolean; readonly isNew: boolean }): Promise<void> {
    const known = manifest.end.slot > this.view.end.slot ? manifest.end : this.view.end;
    this.#moveTo({ manifest, end: known });
    if (manifest.clean && options.isNew) return;
    const { place, headers } = await findEnd(this.objects, known, options);
    for (const header of headers) this.places.learn(header);
    this.#moveTo({ manifest, end: place });
  }

  /** Several looks may be under way: none takes the end back. */
  #moveTo({ manifest, end }: { manifest: Manifest; end: Place }): void {
    const now = this.view.end;
    const last = end.slot > now.slot || (end.slot === now.slot && end.seq > now.seq) ? end : now;
    this.view = { manifest, end: last };
    this.places.forgetBefore(manifest.packed);
  }
}
