import type { Api } from './api.ts';
import type { ClientQuestions } from './client-questions.ts';
import { Listeners } from './listeners.ts';
import { serverRequests } from './requests.ts';
import { type Row, type SaidConversation, toRow } from './row.ts';

/** All conversations as far as they are known here. */
export interface ListState {
  readonly rows: readonly Row[];
  /** False until every conversation was read once. */
  readonly complete: boolean;
  /** The number at the server; `undefined` before it said so. */
  readonly total: number | undefined;
  /** Conversations that are there and cannot be read. */
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
  /** Why the last reading failed; `undefined` if it did not. */
  readonly error: unknown;
}

interface Page {
  readonly items: readonly SaidConversation[];
  readonly next_page_id?: string | null;
  readonly unreadable?: ListState['unreadable'];
}

/** Milliseconds between looks, on a visible page and on a hidden one. */
const VISIBLE = 2500;
const HIDDEN = 10_000;
/** Conversations of a look; a first reading takes more at once. */
const LOOK = 20;
const MANY = 100;
/** Statuses that change without a newer time of the conversation. */
const RESTLESS: ReadonlySet<string> = new Set(['running', 'waiting_for_confirmation', 'waiting_for_answer']);

/**
 * The list of conversations, kept up to date. The protocol has no socket for lists, so the page asks for the conversations that changed
 * last, and continues as long as a whole page is new. Titles, tags and statuses change without a newer time, so conversations in
 * sight and at work are asked for too. A different number of conversations makes it read all again.
 */
export class ConversationList {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #api: Api;
  readonly #questions: ClientQuestions;
  readonly #rows = new Map<string, Row>();
  #state: ListState = { rows: [], complete: false, total: undefined, unreadable: [], error: undefined };
  /** The conversation that was opened last, to which a person comes back. */
  lastOpened: string | undefined;
  #watched: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> | undefined;

  constructor(api: Api, questions: ClientQuestions) {
    this.#api = api;
    this.#questions = questions;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly state = (): ListState => this.#state;

  /** Begins to look at intervals; the result ends that. */
  start(): () => void {
    const seen = (): void => void this.refresh();
    document.addEventListener('visibilitychange', seen);
    void this.refresh();
    return () => {
      document.removeEventListener('visibilitychange', seen);
      clearTimeout(this.#timer);
    };
  }

  /** Looks now. Resolves when it has; a failure stands in the state. */
  refresh(): Promise<void> {
    clearTimeout(this.#timer);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.refresh(), document.visibilityState === 'visible' ? VISIBLE : HIDDEN);
    });
    return this.#looking;
  }

  /** Keeps these conversations up to date, because they are in sight. */
  watch(ids: readonly string[]): void {
    this.#watched = ids;
  }

  /** Takes a conversation out that was deleted here. */
  forget(id: string): void {
    if (this.#rows.delete(id)) this.#become({});
  }

  async #look(): Promise<void> {
    try {
      if (!this.#state.complete) await this.#readAll();
      else if (!(await this.#readChanges())) await this.#readAll();
      if (this.#state.error !== undefined) this.#become({ error: undefined });
    } catch (error) {
      this.#become({ error });
    }
  }

  async #readAll(): Promise<void> {
    const total = await this.#count();
    const found = new Set<string>();
    const unreadable: ListState['unreadable'][number][] = [];
    for (let page: string | null = ''; page !== null;) {
      const read: Page = await this.#page(MANY, page);
      for (const each of read.items) {
        this.#rows.set(each.id, toRow(each, this.#questions));
        found.add(each.id);
      }
      unreadable.push(...(read.unreadable ?? []));
      page = read.next_page_id ?? null;
      if (!this.#state.complete) this.#become({ total });
    }
    for (const id of this.#rows.keys()) if (!found.has(id)) this.#rows.delete(id);
    this.#become({ complete: true, total, unreadable });
  }

  /** Resolves with false if conversations are gone, so that all must be read. */
  async #readChanges(): Promise<boolean> {
    const total = await this.#count();
    const seen = new Map<string, SaidConversation>();
    for (let page: string | null = ''; page !== null;) {
      const { items, next_page_id: next = null }: Page = await this.#page(LOOK, page);
      for (const each of items) seen.set(each.id, each);
      const isNew = items.every(({ id, updated_at: time }) => this.#rows.get(id)?.updatedAt !== time);
      page = isNew ? next : null;
    }
    for (const each of await this.#readUnsettled(seen)) seen.set(each.id, each);
    const rows = [...seen.values()].map((said) => toRow(said, this.#questions));
    const changed = rows.filter((row) => !isSame(row, this.#rows.get(row.id)));
    for (const row of changed) this.#rows.set(row.id, row);
    if (changed.length > 0) this.#become({ total });
    return this.#rows.size + this.#state.unreadable.length === total;
  }

  /** Reads the conversations in sight or at work that were not seen yet. */
  async #readUnsettled(seen: ReadonlyMap<string, unknown>): Promise<readonly SaidConversation[]> {
    const restless = [...this.#rows.values()].filter(({ status }) => RESTLESS.has(status)).map(({ id }) => id);
    const wanted = [...new Set([...this.#watched, ...restless])].filter((id) => !seen.has(id) && this.#rows.has(id));
    const ids = wanted.slice(0, MANY);
    if (ids.length === 0) return [];
    const found = await this.#api.call<readonly (SaidConversation | null)[]>(serverRequests.getConversations, {
      query: { ids },
    });
    return found.filter((each) => each !== null);
  }

  #page(limit: number, page: string): Promise<Page> {
    const query = { limit, sort_order: 'UPDATED_AT_DESC', page_id: page === '' ? null : page };
    return this.#api.call<Page>(serverRequests.searchConversations, { query });
  }

  #count(): Promise<number> {
    return this.#api.call<number>(serverRequests.countConversations);
  }

  #become(change: Partial<ListState>): void {
    this.#state = { ...this.#state, ...change, rows: [...this.#rows.values()] };
    this.#listeners.tell();
  }
}

/** True if the list would show the same. */
function isSame(row: Row, known: Row | undefined): boolean {
  return known !== undefined && JSON.stringify(row) === JSON.stringify(known);
}
