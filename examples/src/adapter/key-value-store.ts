import { initialFields, type StateFields } from '@conv/core';
import * as core from '@conv/core/store';
import {
  BaseStore,
  LoadedJournal,
  LoadedReader,
  stateAfter,
  type LoadedSink,
  type LoadedSource,
} from '@conv/store-kit';
import type { KeyValueTable } from './key-value-table.ts';

const maxCommitBytes = 4 * 1024 * 1024;

/** Milliseconds after an owner's last heartbeat in which no other process may take over. */
const lease = 15_000;

/** The record under `ID.owner`. It stays when the conversation is deleted, so that epochs never fall. */
interface Owner {
  readonly epoch: number;
  readonly owner: string;
  /** The end of the lease, in epoch milliseconds. 0: the owner gave up, and none of its requests is on its way. */
  readonly until: number;
  /** The slot that the log begins with. */
  readonly firstSlot: number;
  readonly exists: boolean;
}
const noOwner: Owner = { epoch: 0, owner: '', until: 0, firstSlot: 0, exists: false };

/** The value under `ID.slot-0`, `ID.slot-1` and so on. A slot without a commit is a fence, see `OwnSlots.load`. */
type Slot = { readonly commit?: core.Commit };

/** Reads the slots of one conversation, up to the first free slot. */
class Slots implements LoadedSource {
  protected readonly values: KeyValueTable;
  protected readonly id: string;
  protected readonly firstSlot: number;
  protected nextSlot: number;
  constructor(values: KeyValueTable, id: string, firstSlot: number) {
    this.values = values;
    this.id = id;
    this.firstSlot = firstSlot;
    this.nextSlot = firstSlot;
  }
  load(): readonly core.Commit[] {
    const commits: core.Commit[] = [];
    for (let slot = this.slot(this.nextSlot); slot; slot = this.slot(this.nextSlot)) {
      if (slot.commit) commits.push(slot.commit);
      this.nextSlot++;
    }
    // If the log begins elsewhere, this conversation was deleted and another one made under its id.
    if (this.values.get<Owner>(`${this.id}.owner`)?.firstSlot === this.firstSlot) return commits;
    throw new core.StoreError('NOT_FOUND', `conversation ${this.id} was deleted; open another one, or make it anew`);
  }
  snapshot(): core.Snapshot | undefined {
    return this.values.get(`${this.id}.snapshot`);
  }
  protected slot(number: number): Slot | undefined {
    return this.values.get(`${this.id}.slot-${number}`);
  }
}

/** Reads and writes the slots of one conversation, as its owner. */
class OwnSlots extends Slots implements LoadedSink {
  readonly maxCommitBytes = maxCommitBytes;
  readonly epoch: number;
  readonly #mustFence: boolean;
  readonly #heartbeat: NodeJS.Timeout;
  #record: Owner;
  /** The slot of commit 0 if no fence stood between commits: this owner writes without gaps. */
  #offset = 0;
  constructor(values: KeyValueTable, id: string, record: Owner, mustFence: boolean) {
    super(values, id, record.firstSlot);
    this.epoch = record.epoch;
    this.#record = record;
    this.#mustFence = mustFence;
    this.#heartbeat = setInterval(() => this.#change({ until: Date.now() + lease }), lease / 3).unref();
  }
  /**
   * Loads the log. If the owner before did not give up, fills the slot that it would write next with a fence. If it was faster, loads
   * its commit and tries the next slot.
   */
  override load(): readonly core.Commit[] {
    const commits = [...super.load()];
    while (this.#mustFence && !this.#fill(this.nextSlot, {})) commits.push(...super.load());
    if (this.#mustFence) this.nextSlot++;
    this.#offset = this.nextSlot - commits.length;
    return commits;
  }
  store(commit: core.Commit, after: StateFields): boolean {
    if (!this.#fill(this.#offset + commit.seq, { commit })) return false;
    this.values.set(`${this.id}.summary`, core.conversationSummary(this.id, after));
    return true;
  }
  readBack(seq: core.CommitSeq): core.Commit | 'taken' | undefined {
    const slot = this.slot(this.#offset + seq);
    return slot && (slot.commit ?? 'taken');
  }
  saveSnapshot(snapshot: core.Snapshot): void {
    this.values.set(`${this.id}.snapshot`, snapshot);
  }
  release(isSettled: boolean, change: Partial<Owner> = {}): void {
    clearInterval(this.#heartbeat);
    this.#change({ until: isSettled ? 0 : 1, ...change });
  }
  /** Removes everything but the fences: an earlier owner that does not know yet must not find its next slot free. */
  erase(): void {
    this.load();
    this.release(true, { exists: false, firstSlot: this.nextSlot + 1 });
    for (let number = this.firstSlot; number < this.nextSlot; number++)
      if (this.slot(number)?.commit) this.values.remove(`${this.id}.slot-${number}`);
    this.values.remove(`${this.id}.snapshot`);
  }
  #fill(number: number, slot: Slot): boolean {
    return this.values.create(`${this.id}.slot-${number}`, slot);
  }
  /** Changes the record of this owner, unless another owner has replaced it. */
  #change(change: Partial<Owner>): void {
    const next = { ...this.#record, ...change };
    if (this.values.replace(`${this.id}.owner`, this.#record, next)) this.#record = next;
  }
}

/** Conversations under the keys of a key-value store, for the processes of one machine. */
export class KeyValueStore extends BaseStore<LoadedReader> {
  readonly features: core.StoreFeatures = { durability: 'process', exclusion: 'kernel', shared: true, maxCommitBytes };
  readonly #values: KeyValueTable;
  constructor(values: KeyValueTable) {
    super('key-value store');
    this.#values = values;
  }
  protected async acquire(id: string, { create, owner }: core.OpenOptions): Promise<LoadedJournal> {
    const { exists } = this.#ownerOf(id);
    if (!exists && create === 'never') throw new core.StoreError('NOT_FOUND', `no conversation ${id}`);
    if (exists && create === 'must') throw new core.StoreError('EXISTS', `conversation ${id} exists`);
    if (!exists) this.#values.set(`${id}.summary`, core.conversationSummary(id, initialFields));
    return this.#load(new LoadedJournal(id, this.#claim(id, owner, true)));
  }
  protected async find(id: string): Promise<LoadedReader | undefined> {
    const { exists, firstSlot } = this.#ownerOf(id);
    return exists ? this.#load(new LoadedReader(id, new Slots(this.#values, id, firstSlot))) : undefined;
  }
  protected async page(query: core.ListQuery): Promise<core.ListPage> {
    const ids = this.#values.keys('.summary').filter((id) => this.#ownerOf(id).exists);
    const summaries = ids.flatMap((id) => this.#values.get<core.ConversationSummary>(`${id}.summary`) ?? []);
    return core.listPage(summaries, query);
  }
  protected async forkFrom(source: LoadedReader, id: string, options: core.ForkOptions): Promise<void> {
    const commits = await core.forkCommits(source, options);
    const fields = await stateAfter(commits);
    if (this.#ownerOf(id).exists) throw new core.StoreError('EXISTS', `conversation ${id} exists`);
    const slots = this.#claim(id, 'fork', false);
    slots.load();
    for (const commit of commits) slots.store({ ...commit, epoch: slots.epoch }, fields);
    // The owner's record says last that the fork exists, so that a reader sees all of it or nothing.
    slots.release(true, { exists: true });
  }
  protected async remove(id: string): Promise<void> {
    if (this.#ownerOf(id).exists) this.#claim(id, 'delete', true).erase();
  }
  #ownerOf(id: string): Owner {
    return this.#values.get<Owner>(`${id}.owner`) ?? noOwner;
  }
  /** Becomes the owner in one atomic step. Throws `OWNED` while the last owner lives, or if another opener was faster. */
  #claim(id: string, owner: string, exists: boolean): OwnSlots {
    const last = this.#ownerOf(id);
    let { firstSlot } = last;
    // The slots of a fork that was never finished are no part of the new conversation.
    while (!last.exists && this.#values.get(`${id}.slot-${firstSlot}`)) firstSlot++;
    const record = { epoch: last.epoch + 1, owner, until: Date.now() + lease, firstSlot, exists };
    const known = last.epoch === 0 ? undefined : last;
    if (last.until <= Date.now() && this.#values.replace(`${id}.owner`, known, record))
      return new OwnSlots(this.#values, id, record, last.until !== 0);
    const other = this.#ownerOf(id);
    throw new core.StoreError('OWNED', `conversation ${id} is owned by ${other.owner}; close it there, or read it`, {
      owner: other,
    });
  }
  async #load<Opened extends LoadedReader>(reader: Opened): Promise<Opened> {
    await reader.refresh();
    return this.keep(reader);
  }
}
