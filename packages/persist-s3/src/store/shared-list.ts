import { isStoreError, type ConversationSummary } from '@conv/core/store';
import type { Bucket } from '../bucket/bucket.ts';
import { versionText, type ObjectKeys } from '../bucket/object-keys.ts';
import { decodeList, encodeList, type ListEntry } from '../objects/list-object.ts';
import { parseManifest, type Manifest } from '../objects/manifest.ts';
import { emptySummary } from '../objects/summary.ts';

/** Limits the manifests that are read at the same time. */
const AT_ONCE = 16;
/** Keys that one LIST returns. */
const PAGE = 1000;
/** Marks from which the list is written anew: a share of its conversations, and less than a LIST returns. */
const SAVED_SHARE = 1 / 200;
const LEAST_MARKS = 20;
const MOST_MARKS = 900;
/** Milliseconds between two comparisons with all manifests, for each page of these, and at most. */
const COMPARED_EVERY = 60_000;
const LONGEST_UNCOMPARED = 60 * 60_000;
/** Milliseconds after which a mark no longer waits for the write that it announces. */
const ANNOUNCED_FOR = 24 * 60 * 60_000;

/** Mark of a change: it announces a write over a version of a manifest. */
interface Mark {
  readonly key: string;
  readonly version: string;
  readonly modified: number;
}

/** Marks by the ids of their conversations. */
type Marks = ReadonlyMap<string, readonly Mark[]>;

/** Entry that was read after the shared list. */
interface NewerEntry {
  /** `undefined` if there is no manifest. */
  readonly entry: ListEntry | undefined;
  /** Keys of the marks whose writes are in `entry`, or never come. */
  readonly settled: ReadonlySet<string>;
}

/**
 * The summaries of all conversations of a bucket (docs/decisions/0206-lists-of-s3-are-shared.md): those in the shared list, and over them
 * the manifests with a mark. The order of the requests is the proof: the marks are listed first, the shared list is read then, and the
 * marked manifests last. Its methods must not run at the same time.
 */
export class SharedList {
  readonly #bucket: Bucket;
  readonly #keys: ObjectKeys;
  /** Entries of the shared list, by id. */
  #entries: ReadonlyMap<string, ListEntry> = new Map();
  /** Tag of the version of the shared list that is there; `undefined` without one. */
  #etag: string | undefined;
  /** Entries read since, by id; forgotten with every other version of the shared list. */
  readonly #newer = new Map<string, NewerEntry>();
  /** True once the entries are those of all manifests. */
  #isWhole = false;
  /** True if the shared list is missing or damaged, or differs from the manifests without a mark. */
  #isWrong = false;
  #compared = -Infinity;
  /** Share of the usual marks, and of the usual time, so that processes do not all write or compare at the same moment. */
  #eagerness: number;
  #summaries: readonly ConversationSummary[] | undefined;

  constructor(bucket: Bucket, keys: ObjectKeys) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#eagerness = drawn(bucket);
  }

  /** True if it should be saved: many marks are settled, or the shared list is wrong. */
  get isBehind(): boolean {
    return this.#isWrong || this.#settled.length >= this.#eagerness * this.#mostMarks;
  }

  /** True if it should be compared with all manifests again. They change without a mark only by other programs than this one. */
  get isUncompared(): boolean {
    const age = this.#bucket.serverNow() - this.#compared;
    const pages = Math.ceil(this.#most / PAGE);
    return age >= this.#eagerness * Math.min(LONGEST_UNCOMPARED, COMPARED_EVERY * Math.max(1, pages));
  }

  /** True if one LIST returns all manifests. */
  get isShort(): boolean {
    return this.#most < PAGE;
  }

  /**
   * Resolves with all summaries as they are now, in no order. Lists all manifests if there is no shared list, or if that costs one
   * request and is due. `manifests`: the tags of all manifests by id, to compare with; the next save then writes the list in any case, so
   * that other processes need not compare it and forget what they have read since.
   */
  async read(manifests?: ReadonlyMap<string, string>): Promise<readonly ConversationSummary[]> {
    const marks = await this.#marks();
    await this.#renew();
    const isNew = (id: string, of: readonly Mark[]): boolean => {
      const settled = this.#newer.get(id)?.settled;
      return of.some(({ key }) => settled?.has(key) !== true);
    };
    const marked = [...marks].filter(([id, of]) => isNew(id, of));
    const isLooking = !manifests && (!this.#isWhole || (this.isShort && this.isUncompared));
    await this.#readManifests(
      marked.map(([id]) => id),
      marks,
    );
    const seen = isLooking ? await this.manifests() : manifests;
    if (seen) await this.#compare(seen, marks);
    this.#isWrong ||= manifests !== undefined;
    this.#summaries ??= [...this.#all()].flatMap(([, { summary }]) => (summary ? [summary] : []));
    return this.#summaries;
  }

  /** Resolves with the tags of all manifests, by id. Makes one request for each 1000. */
  async manifests(signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for await (const page of this.#bucket.list(this.#keys.manifests, { ...(signal && { signal }) }))
      for (const { key, etag } of page) {
        const id = this.#keys.idOf(key);
        if (id !== undefined) found.set(id, etag);
      }
    return found;
  }

  /** Writes the shared list, and removes the marks that are in it. Does nothing if another process has written it since the last read. */
  async save(): Promise<void> {
    if (!this.#isWhole || !this.isBehind) return;
    const { platform } = this.#bucket;
    // Newest first, the order that most lists want: they sort little then.
    const entries = new Map([...this.#all()].sort(([, a], [, b]) => compareText(timeOf(b), timeOf(a))));
    // A bucket without conversations stays as it is.
    if (entries.size === 0 && this.#etag === undefined) return;
    const settled = this.#settled;
    const bytes = await encodeList({ place: this.#place, compared: this.#compared, entries }, platform);
    // Invariant: written only over the version that these entries are newer than. A request that comes in late is refused, or the
    // marks of everything newer are still there.
    const outcome = await this.#bucket.put(
      this.#keys.list,
      bytes,
      this.#etag === undefined ? 'ifFree' : { over: this.#etag },
    );
    if (!outcome.stored) return;
    this.#become(entries, outcome.etag);
    await this.#bucket.remove(settled);
  }

  get #place(): string {
    return `${this.#bucket.name}/${this.#keys.manifests}`;
  }

  /** Number of conversations, or more: a conversation with a newer entry may count twice. */
  get #most(): number {
    return this.#entries.size + this.#newer.size;
  }

  get #mostMarks(): number {
    return Math.min(MOST_MARKS, Math.max(LEAST_MARKS, this.#entries.size * SAVED_SHARE));
  }

  get #settled(): readonly string[] {
    return [...this.#newer.values()].flatMap(({ settled }) => [...settled]);
  }

  async #marks(): Promise<Marks> {
    const marks = new Map<string, Mark[]>();
    for await (const page of this.#bucket.list(this.#keys.changes))
      for (const { key, modified } of page) {
        const change = this.#keys.changeOf(key);
        if (!change) continue;
        const { id, version } = change;
        marks.set(id, [...(marks.get(id) ?? []), { key, version, modified }]);
      }
    return marks;
  }

  /**
   * Reads the shared list if it is another version than the last one. It is read after the marks were listed: a mark that was missing then
   * was removed after this version, or one before it, was written.
   */
  async #renew(): Promise<void> {
    const object = await this.#bucket.get(this.#keys.list, { unless: this.#etag });
    if (object?.etag === this.#etag) return;
    const content = object && (await decodeList(object.bytes, this.#place, this.#bucket.platform));
    this.#etag = object?.etag;
    if (content) {
      this.#become(content.entries, object.etag);
      this.#compared = Math.max(this.#compared, content.compared);
    }
    // Marks may be gone with a list that is gone, so compare all manifests with what is known here.
    this.#isWhole = content !== undefined;
  }

  #become(entries: ReadonlyMap<string, ListEntry>, etag: string): void {
    this.#entries = entries;
    this.#etag = etag;
    this.#newer.clear();
    this.#summaries = undefined;
    this.#isWrong = false;
    this.#eagerness = drawn(this.#bucket);
  }

  /** Reads the manifests that have other tags than their entries. Entries without a manifest are read as well, and found gone. */
  async #compare(seen: ReadonlyMap<string, string>, marks: Marks): Promise<void> {
    const known = new Map(this.#all());
    const other = [...seen].filter(([id, etag]) => known.get(id)?.etag !== etag).map(([id]) => id);
    const gone = [...known.keys()].filter((id) => !seen.has(id));
    await this.#readManifests([...other, ...gone], marks);
    this.#compared = this.#bucket.serverNow();
    const isOther = (id: string): boolean =>
      JSON.stringify(known.get(id)) !== JSON.stringify(this.#newer.get(id)?.entry);
    this.#isWrong ||= !this.#isWhole || [...other, ...gone].some(isOther);
    this.#isWhole = true;
  }

  async #readManifests(ids: readonly string[], marks: Marks): Promise<void> {
    const left = ids.values();
    const failures: unknown[] = [];
    const readSome = async (): Promise<void> => {
      for (const id of left) {
        if (failures.length > 0) return;
        this.#newer.set(id, await this.#readManifest(id, marks.get(id) ?? []));
      }
    };
    if (ids.length > 0) this.#summaries = undefined;
    const stop = (error: unknown): void => void failures.push(error);
    await Promise.all(Array.from({ length: AT_ONCE }, () => readSome().catch(stop)));
    // Invariant: no read is under way any more. It could come in after a newer version of the shared list, and hide that.
    if (failures.length > 0) throw failures[0];
  }

  async #readManifest(id: string, marks: readonly Mark[]): Promise<NewerEntry> {
    const key = this.#keys.manifest(id);
    const object = await this.#bucket.get(key);
    const now = this.#bucket.serverNow();
    // Invariant: a write over a version that is no longer there is refused, so its mark announces nothing any more.
    const isSettled = ({ version, modified }: Mark): boolean =>
      version !== versionText(object?.etag) || now - modified > ANNOUNCED_FOR;
    const summary = object && summaryIn(object.bytes, key, id);
    // Without its tag each comparison reads an unreadable manifest again: a process with a newer version of this package may know it.
    const etag = summary?.unreadable === undefined ? (object?.etag ?? '') : '';
    return {
      entry: object && { etag, summary },
      settled: new Set(marks.filter(isSettled).map((mark) => mark.key)),
    };
  }

  /** Yields all entries, the newer ones first. */
  *#all(): Generator<readonly [string, ListEntry], void, undefined> {
    for (const [id, { entry }] of this.#newer) if (entry) yield [id, entry];
    for (const [id, entry] of this.#entries) if (!this.#newer.has(id)) yield [id, entry];
  }
}

function timeOf({ summary }: ListEntry): string {
  return summary?.updatedAt ?? '';
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function drawn({ platform }: Bucket): number {
  return 0.5 + platform.random() / 2;
}

/** Returns the summary in a manifest; `undefined` if it says that the conversation was deleted. */
function summaryIn(bytes: Buffer, key: string, id: string): ConversationSummary | undefined {
  const { deleted, summary, unreadable } = readable(bytes, key);
  if (deleted) return undefined;
  const { title, status, createdAt, updatedAt, tags, parentId, forkedFrom } = summary;
  const listed = { id, title, status, createdAt, updatedAt, tags, parentId, forkedFrom };
  return unreadable === undefined ? listed : { ...listed, unreadable };
}

/** Reads the summary in a manifest; an unreadable one gives defaults and the reason, and hides no conversation. */
function readable(
  bytes: Buffer,
  key: string,
): Pick<Manifest, 'deleted' | 'summary'> & Pick<ConversationSummary, 'unreadable'> {
  try {
    return parseManifest(bytes, key);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return { summary: emptySummary(0), unreadable: error.message };
  }
}
