import { checkOpenOptions } from '../contract/store/check-options.ts';
import { foldJournal } from '../engine/fold/fold-journal.ts';
import type { CheckOptions, CheckResult } from '../contract/store/check-result.ts';
import { forkCommits } from './fork-commits.ts';
import { toConversationId } from '../contract/store/conversation-id.ts';
import { conversationSummary } from '../contract/store/conversation-summary.ts';
import type {
  ConversationStore,
  ForkOptions,
  Journal,
  JournalReader,
  ListPage,
  ListQuery,
  OpenOptions,
  StoreFeatures,
} from '../contract/store/conversation-store.ts';
import { checkOptionNames } from '../contract/settings-input/check-option-names.ts';
import { listPage } from './list-page.ts';
import { createMemoryLog, MemoryJournal, MemoryReader, type MemoryLog } from '../engine/memory-journal.ts';
import { StoreError } from '../contract/errors/store-error.ts';
import { isoNow, type Platform } from '../platform/platform.ts';
import { systemPlatform } from '../platform/system-platform.ts';

const MISSING = 'is not in this store; check the id, or list the conversations';
const TAKEN = 'exists already; open it, or choose another id';

/** Keeps conversations in memory, in this object, until `delete`. Evicts nothing. */
export class MemoryStore implements ConversationStore {
  readonly features: StoreFeatures = {
    durability: 'process',
    exclusion: 'instance',
    shared: false,
    maxCommitBytes: Number.MAX_SAFE_INTEGER,
  };
  readonly #platform: Platform;
  readonly #logs = new Map<string, MemoryLog>();
  readonly #readers = new Set<MemoryReader>();
  #closed = false;

  /** Throws `TypeError` for an option that does not exist. The platform gives times and ids, default the platform of the host. */
  constructor(options: { readonly platform?: Platform | undefined } = {}) {
    checkOptionNames('new MemoryStore', options, { platform: true });
    this.#platform = options.platform ?? systemPlatform;
  }

  async open(id: string, options: OpenOptions): Promise<Journal> {
    checkOpenOptions(options);
    options.signal?.throwIfAborted();
    const key = this.#key(id);
    const log = this.#logs.get(key);
    if (!log && options.create === 'never') throw new StoreError('NOT_FOUND', `conversation ${key} ${MISSING}`);
    if (log && options.create === 'must') throw new StoreError('EXISTS', `conversation ${key} ${TAKEN}`);
    assertFree(key, log);
    const opened = log ?? createMemoryLog(this.#platform);
    this.#logs.set(key, opened);
    return new MemoryJournal(options.owner, this.#platform, opened);
  }

  async read(id: string): Promise<JournalReader | undefined> {
    const log = this.#logs.get(this.#key(id));
    if (!log) return undefined;
    const reader = new MemoryReader(log);
    this.#readers.add(reader);
    reader.onClose = () => this.#readers.delete(reader);
    return reader;
  }

  async list(query: ListQuery = {}): Promise<ListPage> {
    this.#assertOpen();
    return listPage(
      [...this.#logs].map(([id, { fields, updatedAt }]) => conversationSummary(id, fields, updatedAt)),
      query,
    );
  }

  async fork(id: string, newId: string, options: ForkOptions): Promise<void> {
    const source = this.#log(id);
    const key = this.#key(newId);
    if (this.#logs.has(key)) throw new StoreError('EXISTS', `conversation ${key} ${TAKEN}`);
    const commits = await forkCommits(new MemoryReader(source), options, this.#platform);
    const log = createMemoryLog(this.#platform);
    for (const commit of commits) log.commits.push(commit);
    log.epoch = commits.at(-1)?.epoch ?? 0;
    log.fields = (await foldJournal(new MemoryReader(log))).fields;
    log.updatedAt = isoNow(this.#platform);
    if (this.#logs.has(key)) throw new StoreError('EXISTS', `conversation ${key} ${TAKEN}`);
    this.#logs.set(key, log);
  }

  async delete(id: string): Promise<void> {
    const key = this.#key(id);
    assertFree(key, this.#logs.get(key));
    this.#logs.delete(key);
  }

  /** Finds nothing, because memory cannot be damaged. */
  async check(id: string | undefined, { signal, onProgress }: CheckOptions = {}): Promise<CheckResult> {
    this.#assertOpen();
    signal?.throwIfAborted();
    if (id === undefined) return { commits: 0, events: 0, findings: [] };
    const { seq, event } = new MemoryReader(this.#log(id)).end;
    onProgress?.({ done: seq, of: seq });
    return { commits: seq, events: event, findings: [] };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const log of this.#logs.values()) log.owner?.release();
    await Promise.all([...this.#readers].map((reader) => reader.close()));
  }

  #log(id: string): MemoryLog {
    const log = this.#logs.get(this.#key(id));
    if (log) return log;
    throw new StoreError('NOT_FOUND', `conversation ${this.#key(id)} ${MISSING}`);
  }

  #key(id: string): string {
    this.#assertOpen();
    return toConversationId(id);
  }

  #assertOpen(): void {
    if (this.#closed) throw new StoreError('CLOSED', 'the store is closed; make another one');
  }
}

function assertFree(key: string, log: MemoryLog | undefined): void {
  if (!log?.owner) return;
  const { owner, epoch } = log.owner;
  const text = `conversation ${key} is owned by ${owner}; close it there, or read it`;
  throw new StoreError('OWNED', text, { owner: { owner, epoch } });
}
