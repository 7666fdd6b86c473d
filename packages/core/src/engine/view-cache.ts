import { type Event } from '../events/index.ts';
import { movesHead } from '../events/guards.ts';
import type { JsonObject } from '../platform/json.ts';
import type { EventLog } from './event-log.ts';
import { parentOf } from './fold/tree.ts';
import { fromCheckpoint, toCheckpoint } from './view-checkpoint.ts';
import { ViewFold, type View } from './view/view.ts';

/** The view of one branch, loaded on first use and kept current from then on. */
export class ViewCache {
  readonly #log: EventLog;
  readonly #kept: () => Promise<unknown>;
  #loaded: { leaf: string | null; readonly fold: ViewFold } | undefined;
  #loading: { leaf: string | null; readonly arrived: Event[]; readonly done: Promise<void> } | undefined;

  /** `kept` resolves with the last {@link ViewCache.checkpoint} that was stored. */
  constructor(log: EventLog, kept: () => Promise<unknown> = () => Promise.resolve(undefined)) {
    this.#log = log;
    this.#kept = kept;
  }

  /**
   * Resolves with the checkpoint to store, so that the view need not be read from the root again. If the view was not loaded,
   * this is the checkpoint that was stored before.
   */
  async checkpoint(): Promise<JsonObject | undefined> {
    if (this.#loaded) return toCheckpoint(this.#loaded.fold, this.#loaded.leaf);
    return (await this.#kept()) as JsonObject | undefined;
  }

  /** True if a view is loaded, and a checkpoint can hold it, so that it need not be read from the root again. */
  get canForget(): boolean {
    return this.#loaded !== undefined && toCheckpoint(this.#loaded.fold, this.#loaded.leaf) !== undefined;
  }

  forget(): void {
    this.#loaded = undefined;
  }

  admit(event: Event): void {
    if (!movesHead(event)) return;
    this.#loading?.arrived.push(event);
    if (this.#loaded) this.#extend(event);
  }

  async viewOf(leaf: string | null): Promise<View> {
    while (this.#loaded?.leaf !== leaf) {
      if (this.#loading) await this.#loading.done;
      else await this.#load(leaf);
      if (this.#loaded?.leaf !== leaf && !this.#loading) {
        // HEAD moved while the branch was read. The caller needs an older leaf, so its branch is read separately.
        return (await this.#fold(leaf)).view;
      }
    }
    return this.#loaded.fold.view;
  }

  #extend(event: Event): void {
    const loaded = this.#loaded;
    if (!loaded) return;
    if (parentOf(event, loaded.leaf) !== loaded.leaf) {
      this.#loaded = undefined;
      return;
    }
    loaded.fold.apply(event);
    loaded.leaf = event.id;
  }

  async #load(leaf: string | null): Promise<void> {
    const arrived: Event[] = [];
    let fold = new ViewFold();
    const done = this.#fold(leaf).then((folded) => void (fold = folded));
    this.#loading = { leaf, arrived, done };
    try {
      await done;
      this.#loaded = { leaf, fold };
      for (const event of arrived) this.#extend(event);
    } finally {
      this.#loading = undefined;
    }
  }

  async #fold(leaf: string | null): Promise<ViewFold> {
    const restored = await fromCheckpoint(this.#log, await this.#kept(), leaf);
    if (restored) return restored;
    const fold = new ViewFold();
    for await (const event of this.#log.walk(leaf)) fold.apply(event);
    return fold;
  }
}
