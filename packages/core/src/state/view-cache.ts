import { movesHead, type Event } from '../events/index.ts';
import type { EventLog } from './event-log.ts';
import { ViewFold, type View } from './view.ts';

/** The view of one branch, loaded when first asked for and kept current from then on. */
export class ViewCache {
  readonly #log: EventLog;
  #loaded: { leaf: string | null; readonly fold: ViewFold } | undefined;
  #loading: { leaf: string | null; readonly arrived: Event[]; readonly done: Promise<void> } | undefined;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /** Takes in an event that became durable. */
  admit(event: Event): void {
    if (!movesHead(event)) return;
    this.#loading?.arrived.push(event);
    if (this.#loaded) this.#extend(event);
  }

  /** The view of the branch that ends with `leaf`. */
  async viewOf(leaf: string | null): Promise<View> {
    while (this.#loaded?.leaf !== leaf) {
      if (this.#loading) await this.#loading.done;
      else await this.#load(leaf);
      if (this.#loaded?.leaf !== leaf && !this.#loading) {
        // HEAD moved on while the branch was read: an older leaf is asked for, so it is read on its own
        return this.#readOnce(leaf);
      }
    }
    return this.#loaded.fold.view;
  }

  #extend(event: Event): void {
    const loaded = this.#loaded;
    if (!loaded) return;
    const parent = event.parent_id === '__root__' ? null : (event.parent_id ?? loaded.leaf);
    if (parent !== loaded.leaf) {
      this.#loaded = undefined;
      return;
    }
    loaded.fold.apply(event);
    loaded.leaf = event.id;
  }

  async #load(leaf: string | null): Promise<void> {
    const arrived: Event[] = [];
    const fold = new ViewFold();
    const work = async (): Promise<void> => {
      for await (const event of this.#log.walk(leaf)) fold.apply(event);
    };
    const done = work();
    this.#loading = { leaf, arrived, done };
    try {
      await done;
      this.#loaded = { leaf, fold };
      for (const event of arrived) this.#extend(event);
    } finally {
      this.#loading = undefined;
    }
  }

  async #readOnce(leaf: string | null): Promise<View> {
    const fold = new ViewFold();
    for await (const event of this.#log.walk(leaf)) fold.apply(event);
    return fold.view;
  }
}
