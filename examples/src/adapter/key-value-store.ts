import { initialFields, readState, type StateFields } from '@conv/core';
import * as core from '@conv/core/store';
import * as kit from '@conv/store-kit';
import type { KeyValueTable } from './key-value-table.ts';

const [maxCommitBytes, lease] = [4 * 1024 * 1024, 15_000];
const slotKey = (id: string, slot: number): string => `${id}.slot-${slot}`;
/** Who owns a conversation, under `ID.owner`. `until` 0: given up, with nothing on its way. The log begins at `firstSlot`. */
type Ownership = Readonly<{ epoch: number; owner: string; until: number; firstSlot: number; isThere: boolean }>;
const nobody: Ownership = { epoch: 0, owner: '', until: 0, firstSlot: 0, isThere: false };
/** The value under `ID.slot-0` and so on: a commit, or the fence of an owner whose predecessor may still write. */
type Slot = { readonly commit?: core.Commit };

/** Reads the slots of one conversation up to the first that is free. */
class Slots implements kit.LoadedSource {
  protected readonly values: KeyValueTable;
  protected readonly id: string;
  protected readonly firstSlot: number;
  protected next: number;
  constructor(values: KeyValueTable, id: string, firstSlot: number) {
    [this.values, this.id, this.firstSlot, this.next] = [values, id, firstSlot, firstSlot];
  }
  load(): readonly core.Commit[] {
    const commits: core.Commit[] = [];
    for (let slot; (slot = this.values.get<Slot>(slotKey(this.id, this.next))); this.next++)
      if (slot.commit) commits.push(slot.commit);
    // a log that begins elsewhere is another conversation, made after this one was deleted
    if (this.values.get<Ownership>(`${this.id}.owner`)?.firstSlot === this.firstSlot) return commits;
    throw new core.StoreError('NOT_FOUND', `conversation ${this.id} was deleted`);
  }
  snapshot(): core.Snapshot | undefined {
    return this.values.get(`${this.id}.snapshot`);
  }
}

class OwnSlots extends Slots implements kit.LoadedSink {
  readonly maxCommitBytes = maxCommitBytes;
  readonly epoch: number;
  readonly #mustFence: boolean;
  readonly #heart: NodeJS.Timeout;
  #mine: Ownership;
  /** The slot of commit 0, if no fence stood between commits. This owner writes without gaps. */
  #shift = 0;
  constructor(values: KeyValueTable, id: string, mine: Ownership, mustFence: boolean) {
    super(values, id, mine.firstSlot);
    [this.epoch, this.#mine, this.#mustFence] = [mine.epoch, mine, mustFence];
    this.#heart = setInterval(() => this.#renew({ until: Date.now() + lease }), lease / 3).unref();
  }
  /** Loads the log. Takes the slot that an owner who did not give up would write next, and loads what that one wrote until then. */
  override load(): readonly core.Commit[] {
    const commits = [...super.load()];
    while (this.#mustFence && !this.values.create(slotKey(this.id, this.next), {})) commits.push(...super.load());
    if (this.#mustFence) this.next++;
    this.#shift = this.next - commits.length;
    return commits;
  }
  store(commit: core.Commit, after: StateFields): boolean {
    if (!this.values.create(slotKey(this.id, this.#shift + commit.seq), { commit })) return false;
    this.values.set(`${this.id}.summary`, core.conversationSummary(this.id, after));
    return true;
  }
  readBack(seq: core.CommitSeq): core.Commit | 'taken' | undefined {
    const slot = this.values.get<Slot>(slotKey(this.id, this.#shift + seq));
    return slot && (slot.commit ?? 'taken');
  }
  saveSnapshot(snapshot: core.Snapshot): void {
    this.values.set(`${this.id}.snapshot`, snapshot);
  }
  release(isSettled: boolean, change: Partial<Ownership> = {}): void {
    clearInterval(this.#heart);
    this.#renew({ until: isSettled ? 0 : 1, ...change });
  }
  /** Removes everything but the fences: an earlier owner that does not know yet must not find its next slot free. */
  erase(): void {
    this.load();
    this.release(true, { isThere: false, firstSlot: this.next + 1 });
    for (let slot = this.firstSlot; slot < this.next; slot++)
      if (this.values.get<Slot>(slotKey(this.id, slot))?.commit) this.values.remove(slotKey(this.id, slot));
    this.values.remove(`${this.id}.snapshot`);
  }
  /** Changes the record of this ownership, unless it is another owner's by now. */
  #renew(change: Partial<Ownership>): void {
    const next = { ...this.#mine, ...change };
    if (this.values.replace(`${this.id}.owner`, this.#mine, next)) this.#mine = next;
  }
}

/** Conversations under the keys of a key-value store, for the processes of one machine. */
export class KeyValueStore implements core.ConversationStore {
  readonly features: core.StoreFeatures = { durability: 'process', exclusion: 'kernel', shared: true, maxCommitBytes };
  readonly #values: KeyValueTable;
  readonly #opened = new Set<kit.LoadedReader>();
  #closed = false;
  constructor(values: KeyValueTable) {
    this.#values = values;
  }
  async open(id: string, { create = 'ifMissing', owner, signal }: core.OpenOptions): Promise<core.Journal> {
    signal?.throwIfAborted();
    const { key, last } = this.#ownership(id);
    if (!last.isThere && create === 'never') throw new core.StoreError('NOT_FOUND', `conversation ${key}`);
    if (last.isThere && create === 'must') throw new core.StoreError('EXISTS', `conversation ${key}`);
    if (!last.isThere) this.#values.set(`${key}.summary`, core.conversationSummary(key, initialFields));
    return this.#opening(new kit.LoadedJournal(key, this.#claim(id, owner, true)));
  }
  async read(id: string): Promise<kit.LoadedReader | undefined> {
    const { key, last } = this.#ownership(id);
    return last.isThere ? this.#reader(key, last) : undefined;
  }
  async list(query: core.ListQuery = {}): Promise<core.ListPage> {
    if (this.#closed) throw new core.StoreError('CLOSED', 'key-value store');
    const ids = this.#values.keys('.summary').filter((id) => this.#ownership(id).last.isThere);
    const items = ids.flatMap((id) => this.#values.get<core.ConversationSummary>(`${id}.summary`) ?? []);
    return core.listPage(items, query);
  }
  async fork(id: string, newId: string, options: core.ForkOptions): Promise<void> {
    const source = await this.read(id);
    if (!source) throw new core.StoreError('NOT_FOUND', `conversation ${id}`);
    const commits = await core.forkCommits(source, options);
    const { key, last: before } = this.#ownership(newId);
    if (before.isThere) throw new core.StoreError('EXISTS', `conversation ${key}`);
    // The record of its owner says last that it is there, so that a reader sees all of it or nothing.
    const slots = this.#claim(newId, 'fork', false);
    slots.load();
    for (const commit of commits) slots.store({ ...commit, epoch: slots.epoch }, initialFields);
    const { fields } = await readState(await this.#reader(key, this.#ownership(newId).last));
    this.#values.set(`${key}.summary`, core.conversationSummary(key, fields));
    slots.release(true, { isThere: true });
  }
  async delete(id: string): Promise<void> {
    if (this.#ownership(id).last.isThere) this.#claim(id, 'delete', true).erase();
  }
  async check(id: string | undefined, options?: core.CheckOptions): Promise<core.CheckResult> {
    if (this.#closed) throw new core.StoreError('CLOSED', 'key-value store');
    return core.checkByReading(this, id, options);
  }
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#opened].map((reader) => reader.close()));
  }
  #ownership(id: string): { readonly key: string; readonly last: Ownership } {
    if (this.#closed) throw new core.StoreError('CLOSED', 'key-value store');
    const key = core.toConversationId(id);
    return { key, last: this.#values.get<Ownership>(`${key}.owner`) ?? nobody };
  }
  /** Becomes the owner, in one atomic step. Throws `OWNED` while the last owner lives, or if another opener was faster. */
  #claim(id: string, owner: string, isThere: boolean): OwnSlots {
    const { key, last } = this.#ownership(id);
    let { firstSlot } = last;
    // The slots of a fork that was never finished are no part of the new conversation.
    while (!last.isThere && this.#values.get(slotKey(key, firstSlot))) firstSlot++;
    const mine = { epoch: last.epoch + 1, owner, until: Date.now() + lease, firstSlot, isThere };
    if (last.until <= Date.now() && this.#values.replace(`${key}.owner`, last.epoch ? last : undefined, mine))
      return new OwnSlots(this.#values, key, mine, last.until !== 0);
    const { last: other } = this.#ownership(id);
    throw new core.StoreError('OWNED', `conversation ${key} is owned by ${other.owner}`, { owner: other });
  }
  #reader(key: string, { firstSlot }: Ownership): Promise<kit.LoadedReader> {
    return this.#opening(new kit.LoadedReader(key, new Slots(this.#values, key, firstSlot)));
  }
  async #opening<Opened extends kit.LoadedReader>(reader: Opened): Promise<Opened> {
    this.#opened.add(reader);
    await reader.refresh();
    return reader;
  }
}
