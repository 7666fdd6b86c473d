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
import { ClosableStore, type Opened } from './store/closable-store.ts';
import { foreignLog, foreignLogError, foreignLogText } from './records/foreign-log.ts';
import { isForCopy } from './copies/begun-copies.ts';
import type { Incomplete } from './store/incomplete.ts';
import { notInStore } from './store/store-errors.ts';
import { checkJournal } from './checks/check-journal.ts';

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
 * | `incomplete` | {@link BaseStore.findIncomplete} |
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
      const opened = await this.acquire(key, options);
      const journal = isForCopy(options) ? opened : await this.#own(key, opened);
      if (!signal?.aborted) return journal;
      await journal.close();
      throw signal.reason;
    };
    return this.#operate(`conversation ${key}`, true, acquire, signal);
  }

  async read(id: string): Promise<JournalReader | undefined> {
    const key = this.#key(id);
    return this.#operate(`conversation ${key}`, false, async () => {
      const reader = await this.find(key);
      return reader && this.#own(key, reader);
    });
  }

  async list(query: ListQuery = {}): Promise<ListPage> {
    this.assertOpen();
    return this.#operate(this.storeName, false, () => this.page(query));
  }

  async fork(id: string, newId: string, options: ForkOptions): Promise<void> {
    const [from, to] = [this.#key(id), this.#key(newId)];
    await this.#operate(`conversation ${to}`, true, async () => {
      const source = await this.run(`conversation ${from}`, async () => {
        const found = await this.findSource(from);
        return found && this.#own(from, found);
      });
      await this.#use(source, from, (reader) => this.forkFrom(reader, to, withId(to, options)));
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

  /** Resolves with the conversations that are missing in lists, or present only in lists, because one of their records is lost. */
  async incomplete(): Promise<readonly Incomplete[]> {
    this.assertOpen();
    return this.#operate(this.storeName, false, () => this.findIncomplete());
  }

  /** Opens a conversation for writing, as `ConversationStore.open` does. The caller handles an abort in the meantime. */
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

  /**
   * Resolves with the conversation that a log belongs to if that is not the conversation `id`; `undefined` if it is, or if that is not
   * known. Nothing is opened, read, forked or repaired from such a log. Default: what the log states (decision 82), if all of it was read.
   */
  protected async otherConversation(id: string, reader: Reader): Promise<string | undefined> {
    const found = await foreignLog(reader, id);
    return found?.isWhole === true ? found.id : undefined;
  }

  /** Opens the source of a fork. Default: {@link BaseStore.find}. */
  protected findSource(id: string): Promise<Reader | undefined> {
    return this.find(id);
  }

  /** Finds the conversations of {@link BaseStore.incomplete}. Default: there are none. */
  protected async findIncomplete(): Promise<readonly Incomplete[]> {
    return [];
  }

  /** Checks the records that all conversations share. Default: names the incomplete conversations, and repairs each by its own check. */
  protected async checkShared(repair: boolean): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    for (const { id, part, message } of await this.findIncomplete()) {
      const repaired = repair && id !== undefined && (await this.#isMended(id));
      findings.push({ part, severity: 'damaged', message, repaired });
    }
    return findings;
  }

  /** Checks one conversation. A repair checks first, and owns the conversation only if something is left to mend. */
  protected async checkConversation(id: string, options: CheckOptions): Promise<CheckResult> {
    const { repair = false } = options;
    const whole = repair ? await this.#whole(id, options) : undefined;
    if (whole) return whole;
    const before = await this.checkHead(id, repair);
    const owner = `repair, pid ${process.pid}`;
    const opened = repair ? await this.acquire(id, { create: 'never', owner }) : await this.find(id);
    return this.#use(opened, id, async (reader) => {
      const { findings, ...read } = await this.checkOpened(reader, options);
      return { ...read, findings: [...before, ...findings] };
    });
  }

  /** True if a check without ownership sees everything in this conversation that a repair sees. Default: it does. */
  protected isSettled(_reader: Reader): boolean {
    return true;
  }

  /** Checks the record by which a conversation is found, before anything is read through it. Default: there is none. */
  protected async checkHead(_id: string, _repair: boolean): Promise<readonly Finding[]> {
    return [];
  }

  /** Checks an open conversation; its owner repairs it. Default: reads it. */
  protected checkOpened(reader: Reader, options: CheckOptions): Promise<CheckResult> {
    return checkJournal(reader, options);
  }

  /** Checks a conversation without ownership. Resolves `undefined` if an owner may have something to mend. */
  async #whole(id: string, options: CheckOptions): Promise<CheckResult | undefined> {
    const looking = { ...options, repair: false };
    try {
      const before = await this.checkHead(id, false);
      if (before.length > 0) return undefined;
      const result = await this.#use(await this.find(id), id, async (reader) =>
        this.isSettled(reader) ? this.checkOpened(reader, looking) : undefined,
      );
      // A loss that is on record may still be whole in another copy.
      const isDone = result?.findings.every(({ part, severity }) => severity === 'known' && part !== 'log');
      return isDone === true ? result : undefined;
    } catch (error) {
      if (isStoreError(error, 'CORRUPT')) return undefined;
      throw error;
    }
  }

  /** Repairs a conversation. Resolves `false` if something is left; its own check says what. */
  async #isMended(id: string): Promise<boolean> {
    try {
      const { findings } = await this.#checkOne(id, { repair: true });
      return findings.every(({ repaired, severity }) => repaired || severity === 'known');
    } catch (error) {
      if (isStoreError(this.toThrow(error, `conversation ${id}`))) return false;
      throw error;
    }
  }

  /** Checks a conversation. A repair also records in its log which commits are lost. */
  async #checkOne(id: string, options: CheckOptions): Promise<CheckResult> {
    const foreign = await this.#checkOwn(id);
    if (foreign) return foreign;
    const found = await this.checkConversation(id, options);
    const isLost = ({ part, severity }: Finding): boolean => part === 'log' && severity === 'lost';
    if (options.repair !== true || !found.findings.some(isLost)) return found;
    await this.#recordLoss(id);
    const { findings, ...read } = await this.checkConversation(id, { ...options, repair: false });
    const others = found.findings.filter((finding) => !isLost(finding));
    return { ...read, findings: [...findings.filter(({ part }) => part === 'log'), ...others] };
  }

  /**
   * Finds the log of another conversation in the place of this one. Nothing is repaired from it, because that would overwrite the
   * records that still prove this conversation's content.
   */
  async #checkOwn(id: string): Promise<CheckResult | undefined> {
    let reader: Reader | undefined;
    try {
      reader = await this.find(id);
      const other = reader && (await this.otherConversation(id, reader));
      if (!reader || other === undefined) return undefined;
      const finding: Finding = { part: 'log', severity: 'lost', message: foreignLogText(id, other), repaired: false };
      return { commits: reader.end.seq, events: reader.end.event, findings: [finding] };
    } catch {
      // The check itself reports or repairs a conversation that cannot be opened.
      return undefined;
    } finally {
      await reader?.close();
    }
  }

  /** Returns what was opened. Closes it and rejects `CORRUPT` if its log is the one of another conversation. */
  async #own<Kind extends Reader>(id: string, opened: Kind): Promise<Kind> {
    try {
      const other = await this.otherConversation(id, opened);
      if (other !== undefined) throw foreignLogError(id, other);
      return opened;
    } catch (error) {
      await opened.close().catch(() => {});
      throw error;
    }
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

/** Returns the options of a fork whose patch states its id, by which its log is known as its own. */
function withId(id: string, { patch, ...options }: ForkOptions): ForkOptions {
  return { ...options, patch: { ...patch, set: { id, ...patch.set } } };
}
