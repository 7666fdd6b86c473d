import type { ConversationList } from '../data/conversation-list.ts';
import { Listeners } from '../data/listeners.ts';
import { nameOf, type Row, waitsForPerson } from '../data/row.ts';

const STORED = 'studio.notify';

/** The state of notifications. */
export type NotifyState = 'off' | 'on' | 'refused' | 'impossible';

/** Shows a notification of the browser when a conversation begins to wait for a person. A person turns it on; nothing asks before. */
export class Notifier {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #list: ConversationList;
  #on: boolean = localStorage.getItem(STORED) === 'on';
  /** The conversations that waited at the last look; `undefined` before the first. */
  #waiting: ReadonlySet<string> | undefined;
  #open: (id: string) => void = () => {};

  constructor(list: ConversationList) {
    this.#list = list;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly state = (): NotifyState => {
    if (typeof Notification === 'undefined') return 'impossible';
    if (Notification.permission === 'denied') return 'refused';
    return this.#on && Notification.permission === 'granted' ? 'on' : 'off';
  };

  /** Begins to watch the list. `open` shows a conversation when its notification is clicked. */
  start(open: (id: string) => void): () => void {
    this.#open = open;
    return this.#list.subscribe(() => this.#look());
  }

  /** Turns it on or off. Turning it on asks the person for permission. */
  async toggle(): Promise<void> {
    if (this.state() === 'on') this.#on = false;
    else this.#on = (await Notification.requestPermission()) === 'granted';
    localStorage.setItem(STORED, this.#on ? 'on' : 'off');
    this.#listeners.tell();
  }

  #look(): void {
    const { rows, complete } = this.#list.state();
    if (!complete) return;
    const waiting = rows.filter(waitsForPerson);
    const before = this.#waiting;
    this.#waiting = new Set(waiting.map(({ id }) => id));
    if (!before || this.state() !== 'on' || document.visibilityState === 'visible') return;
    for (const row of waiting) if (!before.has(row.id)) this.#show(row);
  }

  #show(row: Row): void {
    const { id, status } = row;
    const body = status === 'waiting_for_answer' ? 'Waits for your answer' : 'Waits for your decision';
    const shown = new Notification(nameOf(row), { body, tag: id });
    shown.addEventListener('click', () => {
      window.focus();
      shown.close();
      this.#open(id);
    });
  }
}
