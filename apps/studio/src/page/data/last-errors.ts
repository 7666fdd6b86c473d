import type { Api } from './api.ts';
import { Listeners } from './listeners.ts';
import { serverRequests } from './requests.ts';
import type { Row } from './row.ts';

/** The kind by the path that every server of the protocol takes. */
const ERROR_KIND = 'openhands.sdk.event.conversation_error.ConversationErrorEvent';
/** Questions at the same time. */
const AT_ONCE = 4;

/** The last errors of conversations, asked for when a row is shown. */
export class LastErrors {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #api: Api;
  readonly #known = new Map<string, string>();
  readonly #waiting: Row[] = [];
  #asking = 0;

  constructor(api: Api) {
    this.#api = api;
    this.subscribe = this.#listeners.subscribe;
  }

  /** Returns the last error of a conversation that failed; empty while it is not known. */
  of(row: Row): string {
    const key = keyOf(row);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, '');
    this.#waiting.push(row);
    this.#next();
    return '';
  }

  #next(): void {
    const row = this.#asking < AT_ONCE ? this.#waiting.pop() : undefined;
    if (!row) return;
    this.#asking++;
    void this.#ask(row).finally(() => {
      this.#asking--;
      this.#next();
    });
  }

  async #ask(row: Row): Promise<void> {
    const query = { kind: ERROR_KIND, sort_order: 'TIMESTAMP_DESC', limit: 1 };
    try {
      const { items } = await this.#api.call<{ items: readonly { detail?: string; code?: string }[] }>(
        serverRequests.searchEvents,
        { params: { conversation_id: row.id }, query },
      );
      const [last] = items;
      this.#known.set(keyOf(row), last?.detail ?? last?.code ?? '');
      this.#listeners.tell();
    } catch {
      // asked again when the row is shown again
      this.#known.delete(keyOf(row));
    }
  }
}

function keyOf({ id, updatedAt }: Row): string {
  return `${id} ${updatedAt}`;
}
