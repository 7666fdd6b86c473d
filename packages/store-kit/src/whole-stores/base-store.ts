import { checks, ConversationState } from '@conv/core';
import {
  isStoreError,
  toConversationId,
  type CheckOptions,
  type CheckResult,
  type ConversationStore,
  type Finding,
  type ForkOptions,
  type Journal,
  type JournalReader,
  type ListPage,
  type ListQuery,
  type OpenOptions,
  type StoreFeatures,
} from '@conv/core/store';
import { ClosableStore, type Opened } from './closable-store.ts';
import { notInStore } from './store-errors.ts';
import { checkJournal } from './check-journal.ts';

/**
 * The operations of a store, as far as they do not depend on the backend: it checks options and ids and runs the operations, and
 * {@link ClosableStore} closes what they open. The adapter adds one method for each operation; ids that it gets are dashed UUIDs.
 *
 * | operation | the adapter's method |
 * | --- | --- |
 * | `open` | {@link BaseStore.acquire} |
 * | `read` | {@link BaseStore.find} |
 * | `list` | {@link BaseStore.page} |
 * | `fork` | {@link BaseStore.forkFrom} |
 * | `delete` | {@link BaseStore.remove} |
 * | `check` | {@link BaseStore.checkShared}, {@link BaseStore.checkHead}, {@link BaseStore.checkOpened} |
 * | `close` | {@link BaseStore.end} |
 */
export abstract class BaseStore<Reader extends Opened = Opened>
  extends ClosableStore<Reader>
  implements ConversationStore
{
  abstract readonly features: StoreFeatures;

  async open(id: string, options: OpenOptions): Promise<Journal> {
    checks.openOptions(options);
    const { signal } = options;
    signal?.throwIfAborted();
    const key = this.#key(id);
    const acquire = async (): Promise<Journal> => {
      signal?.throwIfAborted();
      const journal = await this.acquire(key, options);
      if (!signal?.aborted) return journal;
      await journal.close();
      throw signal.reason;
    };
    return this.#operate(`conversation ${key}`, true, acquire, signal);
  }

  async read(id: string): Promise<JournalReader | undefined> {
    const key = this.#key(id);
    return this.#operate(`conversation ${key}`, false, () => this.find(key));
  }

  async list(query: ListQuery = {}): Promise<ListPage> {
    this.assertOpen();
    return this.#operate(this.storeName, false, () => this.page(query));
  }

  async fork(id: string, newId: string, options: ForkOptions): Promise<void> {
    const [from, to] = [this.#key(id), this.#key(newId)];
    await this.#operate(`conversation ${to}`, true, async () => {
      const source = await this.run(`conversation ${from}`, () => this.findSource(from));
      await this.#use(source, from, (reader) => this.forkFrom(reader, to, options));
    });
  }

  async delete(id: string): Promise<void> {
    const key = this.#key(id);
    await this.#operate(`conversation ${key}`, true, () => this.remove(key));
  }

  async check(id: string | undefined, options: CheckOptions = {}): Promise<CheckResult> {
    this.assertOpen();
    const { signal, repair = false } = options;
    signal?.throwIfAborted();
    const key = id === undefined ? undefined : this.#key(id);
    if (key !== undefined)
      return this.#operate(`conversation ${key}`, repair, () => this.#checkOne(key, options), signal);
    const findings = await this.#operate(this.storeName, repair, () => this.checkShared(repair), signal);
    return { commits: 0, events: 0, findings };
  }

  /** Opens a conversation for writing, as `ConversationStore.open` does. An abort on its way is found by the caller. */
  protected abstract acquire(id: string, options: OpenOptions): Promise<Reader & Journal>;

  /** Opens a conversation for reading. Resolves `undefined` if it is not there. */
  protected abstract find(id: string): Promise<Reader | undefined>;

  /** Returns the page that a query asks for, see `ConversationStore.list`. */
  protected abstract page(query: ListQuery): Promise<ListPage>;

  /** Makes the conversation `id` from a reader of another conversation, see `ConversationStore.fork`. */
  protected abstract forkFrom(source: Reader, id: string, options: ForkOptions): Promise<void>;

  /** Removes a conversation, see `ConversationStore.delete`. */
  protected abstract remove(id: string): Promise<void>;

  /** Runs before each operation. Rejects to refuse a store that cannot be used, or that only reads, if the operation `writes`. */
  protected async prepare(_writes: boolean): Promise<void> {}

  /** Opens the source of a fork. Default: {@link BaseStore.find}. */
  protected findSource(id: string): Promise<Reader | undefined> {
    return this.find(id);
  }

  /** Checks the records that all conversations share. Default: there are none. */
  protected async checkShared(_repair: boolean): Promise<readonly Finding[]> {
    return [];
  }

  /** Checks one conversation. A repair owns it meanwhile. */
  protected async checkConversation(id: string, options: CheckOptions): Promise<CheckResult> {
    const { repair = false } = options;
    const before = await this.checkHead(id, repair);
    const owner = `repair, pid ${process.pid}`;
    const opened = repair ? await this.acquire(id, { create: 'never', owner }) : await this.find(id);
    return this.#use(opened, id, async (reader) => {
      const { findings, ...read } = await this.checkOpened(reader, options);
      return { ...read, findings: [...before, ...findings] };
    });
  }

  /** Checks the record by which a conversation is found, before anything is read through it. Default: there is none. */
  protected async checkHead(_id: string, _repair: boolean): Promise<readonly Finding[]> {
    return [];
  }

  /** Checks an open conversation; its owner repairs it. Default: reads it. */
  protected checkOpened(reader: Reader, options: CheckOptions): Promise<CheckResult> {
    return checkJournal(reader, options);
  }

  /** Checks a conversation. A repair also records in its log which commits are lost. */
  async #checkOne(id: string, options: CheckOptions): Promise<CheckResult> {
    const found = await this.checkConversation(id, options);
    const isLost = ({ part, severity }: Finding): boolean => part === 'log' && severity === 'lost';
    if (options.repair !== true || !found.findings.some(isLost)) return found;
    await this.#recordLoss(id);
    const { findings, ...read } = await this.checkConversation(id, { ...options, repair: false });
    const others = found.findings.filter((finding) => !isLost(finding));
    return { ...read, findings: [...findings.filter(({ part }) => part === 'log'), ...others] };
  }

  /** Records lost commits as opening a conversation does, after all of its log was read (decision 27). */
  async #recordLoss(id: string): Promise<void> {
    const journal = await this.acquire(id, { create: 'never', owner: `repair, pid ${process.pid}` });
    try {
      for await (const _ of journal.commits());
      if (journal.damage.length > 0) await (await ConversationState.open(journal, { id })).close();
    } catch (error) {
      throw error instanceof Error && isStoreError(error.cause) ? error.cause : error;
    } finally {
      await journal.close();
    }
  }

  #operate<Value>(
    subject: string,
    writes: boolean,
    action: () => Promise<Value>,
    signal?: AbortSignal,
  ): Promise<Value> {
    const prepared = async (): Promise<Value> => {
      await this.prepare(writes);
      return action();
    };
    return this.run(subject, prepared, signal);
  }

  async #use<Value>(reader: Reader | undefined, id: string, use: (reader: Reader) => Promise<Value>): Promise<Value> {
    if (!reader) throw notInStore(id);
    try {
      return await use(reader);
    } finally {
      await reader.close();
    }
  }

  /** Returns an id as a dashed UUID. Throws `CLOSED` and `INVALID_ID`. */
  #key(id: string): string {
    this.assertOpen();
    return toConversationId(id);
  }
}
