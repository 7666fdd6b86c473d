import { initialFields, readState, type StateFields } from '@conv/core';
import * as core from '@conv/core/store';
import { conversationSummary, LoadedJournal, LoadedReader, StoreError, type Commit } from '@conv/core/store';
import type { KeyValueFiles } from './key-value-files.ts';

const maxCommitBytes = 4 * 1024 * 1024;
const lease = 15_000;
const slotKey = (id: string, slot: number): string => `${id}.slot-${slot}`;
/** An ownership, under `ID.epoch-1` and so on; the last one counts. `until` 0: given up. The log begins at `firstSlot`. */
type Epoch = { readonly owner: string; readonly until: number; readonly firstSlot: number; readonly isThere: boolean };
/** What is under `ID.slot-0` and so on: a commit, or nothing but the beginning of an ownership. */
type Slot = { readonly commit?: Commit };

/** Reads the slots of one conversation up to the first that is free. */
class Slots implements core.LoadedSource {
  protected readonly values: KeyValueFiles;
  protected readonly id: string;
  protected next: number;
  constructor(values: KeyValueFiles, id: string, firstSlot: number) {
    [this.values, this.id, this.next] = [values, id, firstSlot];
  }
  load(): readonly Commit[] {
    const commits: Commit[] = [];
    for (let slot; (slot = this.values.get<Slot>(slotKey(this.id, this.next))); this.next++)
      if (slot.commit) commits.push(slot.commit);
    return commits;
  }
  snapshot(): core.Snapshot | undefined {
    return this.values.get(`${this.id}.snapshot`);
  }
}

class OwnSlots extends Slots implements core.LoadedSink {
  readonly epoch: number;
  readonly maxCommitBytes = maxCommitBytes;
  readonly #firstSlot: number;
  readonly #renew: (change: Partial<Epoch>) => void;
  readonly #heart: NodeJS.Timeout;
  constructor(values: KeyValueFiles, id: string, epoch: number, mine: Epoch) {
    super(values, id, mine.firstSlot);
    [this.epoch, this.#firstSlot] = [epoch, mine.firstSlot];
    this.#renew = (change) => values.set(`${id}.epoch-${epoch}`, { ...mine, ...change });
    this.#heart = setInterval(() => this.#renew({ until: Date.now() + lease }), lease / 3).unref();
  }
  /** Takes the slot away that an owner of before would write next; what it has written until then is taken along. */
  override load(): readonly Commit[] {
    const commits = [...super.load()];
    while (!this.values.create(slotKey(this.id, this.next), {})) commits.push(...super.load());
    this.next++;
    return commits;
  }
  store(commit: Commit, after: StateFields): boolean {
    if (!this.values.create(slotKey(this.id, this.next), { commit })) return false;
    this.next++;
    this.values.set(`${this.id}.summary`, conversationSummary(this.id, after));
    return true;
  }
  saveSnapshot(snapshot: core.Snapshot): void {
    this.values.set(`${this.id}.snapshot`, snapshot);
  }
  release(change: Partial<Epoch> = {}): void {
    clearInterval(this.#heart);
    this.#renew({ until: 0, ...change });
  }
  /** Takes away everything but the fences: an owner of before that does not know yet must not find its next slot free. */
  erase(): void {
    this.load();
    this.release({ isThere: false, firstSlot: this.next });
    for (let slot = this.#firstSlot; slot < this.next; slot++)
      if (this.values.get<Slot>(slotKey(this.id, slot))?.commit) this.values.remove(slotKey(this.id, slot));
    this.values.remove(`${this.id}.snapshot`);
  }
}

/** Conversations under the keys of a key-value store, for the processes of one machine. */
export class KeyValueStore implements core.ConversationStore {
  readonly features: core.StoreFeatures = { durability: 'process', exclusion: 'kernel', shared: true, maxCommitBytes };
  readonly #values: KeyValueFiles;
  readonly #opened = new Set<LoadedReader>();
  #closed = false;
  constructor(values: KeyValueFiles) {
    this.#values = values;
  }
  async open(id: string, { create = 'ifMissing', owner, signal }: core.OpenOptions): Promise<core.Journal> {
    signal?.throwIfAborted();
    const { key, last } = this.#latest(id);
    if (!last.isThere && create === 'never') throw new StoreError('NOT_FOUND', `conversation ${key}`);
    if (last.isThere && create === 'must') throw new StoreError('EXISTS', `conversation ${key}`);
    if (!last.isThere) this.#values.set(`${key}.summary`, conversationSummary(key, initialFields));
    return this.#opening(new LoadedJournal(key, this.#claim(id, owner, true)));
  }
  async read(id: string): Promise<LoadedReader | undefined> {
    const { key, last } = this.#latest(id);
    return last.isThere ? this.#reader(key, last) : undefined;
  }
  async list(query: core.ListQuery = {}): Promise<core.ListPage> {
    if (this.#closed) throw new StoreError('CLOSED', 'key-value store');
    const ids = this.#values.keys('.summary').filter((id) => this.#latest(id).last.isThere);
    return core.listPage(
      ids.flatMap((id) => this.#values.get<core.ConversationSummary>(`${id}.summary`) ?? []),
      query,
    );
  }
  async fork(id: string, newId: string, options: core.ForkOptions): Promise<void> {
    const source = await this.read(id);
    if (!source) throw new StoreError('NOT_FOUND', `conversation ${id}`);
    const commits = await core.forkCommits(source, options);
    const { key, last: before } = this.#latest(newId);
    if (before.isThere) throw new StoreError('EXISTS', `conversation ${key}`);
    // Nobody sees it before its epoch says that it is there, which comes last.
    const slots = this.#claim(newId, 'fork', false);
    slots.load();
    for (const commit of commits) slots.store({ ...commit, epoch: slots.epoch }, initialFields);
    const { fields } = await readState(await this.#reader(key, this.#latest(newId).last));
    this.#values.set(`${key}.summary`, conversationSummary(key, fields));
    slots.release({ isThere: true });
  }
  async delete(id: string): Promise<void> {
    if (!this.#latest(id).last.isThere) return;
    this.#claim(id, 'delete', true).erase();
  }
  async check(id: string | undefined, options?: core.CheckOptions): Promise<core.CheckResult> {
    if (this.#closed) throw new StoreError('CLOSED', 'key-value store');
    return core.checkByReading(this, id, options);
  }
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#opened].map((reader) => reader.close()));
  }
  #latest(id: string): { readonly key: string; readonly last: Epoch; readonly epoch: number } {
    if (this.#closed) throw new StoreError('CLOSED', 'key-value store');
    const key = core.toConversationId(id);
    let [last, epoch]: [Epoch, number] = [{ owner: '', until: 0, firstSlot: 0, isThere: false }, 0];
    for (let next; (next = this.#values.get<Epoch>(`${key}.epoch-${epoch + 1}`)); epoch++) last = next;
    return { key, last, epoch };
  }
  /** Makes the next epoch, which only one can. Throws `OWNED` while the last one lives. */
  #claim(id: string, owner: string, isThere: boolean): OwnSlots {
    const { key, last, epoch } = this.#latest(id);
    let { firstSlot } = last;
    // What a fork has left that was never finished is no part of what is made now.
    while (!last.isThere && this.#values.get(slotKey(key, firstSlot))) firstSlot++;
    const mine = { owner, until: Date.now() + lease, firstSlot, isThere };
    if (last.until <= Date.now() && this.#values.create(`${key}.epoch-${epoch + 1}`, mine))
      return new OwnSlots(this.#values, key, epoch + 1, mine);
    const { last: other, epoch: now } = this.#latest(id);
    throw new StoreError('OWNED', `conversation ${key} is owned by ${other.owner}`, {
      owner: { ...other, epoch: now },
    });
  }
  #reader(key: string, { firstSlot }: Epoch): Promise<LoadedReader> {
    return this.#opening(new LoadedReader(key, new Slots(this.#values, key, firstSlot)));
  }
  async #opening<Opened extends LoadedReader>(reader: Opened): Promise<Opened> {
    this.#opened.add(reader);
    await reader.refresh();
    return reader;
  }
}
