import type { Event, EventDraft } from '../events/index.ts';
import { freezeJson } from '../events/freeze-json.ts';
import type { StateFields } from '../contract/state/fields.ts';
import type { StatePatch } from '../contract/state/patch.ts';
import type { Commit } from '../contract/store/commit.ts';
import { maskEvent } from './mask-event.ts';
import { maskError } from './mask-error.ts';
import { maskFields } from './mask-fields.ts';
import { maskJson } from './mask-json.ts';
import { SECRET_MASK, type Masker } from '../contract/safeguards/masker.ts';

/**
 * Masks data on its way into a log and out of it. The log keeps data that was stored before a value was known, or by another
 * program; it is masked when it is read. A masker that fails hides the whole text (P9).
 */
export class EventMask {
  readonly #masker: Masker | undefined;
  /** The masked forms of values that never change, so that reading them again costs nothing. */
  #known: WeakMap<object, { readonly version: number; readonly value: object }> | undefined;

  constructor(masker: Masker | undefined) {
    this.#masker = masker;
  }

  /** True if there are values to mask. */
  get active(): boolean {
    return this.#masker !== undefined && this.#masker.version > 0;
  }

  /** Grows with every new value to mask; 0 without any. A text that was masked with an older version may show a newer value. */
  get version(): number {
    return this.#masker?.version ?? 0;
  }

  /** Returns the text with every value masked. */
  readonly text = (text: string): string => {
    if (!this.#masker) return text;
    try {
      return this.#masker.mask(text);
    } catch {
      return SECRET_MASK;
    }
  };

  /** Returns the draft, masked before it is stored. */
  draft<D extends EventDraft>(draft: D): D {
    return this.active ? maskEvent(draft, this.text) : draft;
  }

  /** Returns a stored event, masked. */
  event<E extends Event>(event: E): E {
    return this.#once(event, () => maskEvent(event, this.text));
  }

  /** Returns a value of the state, masked. The value must never change, because the result is cached. */
  json<T>(value: T): T {
    if (typeof value === 'string') return this.active ? (this.text(value) as T) : value;
    return typeof value === 'object' && value !== null ? this.#once(value, () => maskJson(value, this.text)) : value;
  }

  /** Returns the state with all texts of people, models, tools and programs masked. */
  fields(fields: StateFields): StateFields {
    return this.#once(fields, () => maskFields(fields, this));
  }

  /** Returns a patch, masked as {@link EventMask.fields} does. */
  patch(patch: StatePatch): StatePatch {
    if (!this.active) return patch;
    const { set, add } = patch;
    return { ...patch, ...(set ? { set: maskFields(set, this) } : {}), ...(add ? { add: maskFields(add, this) } : {}) };
  }

  /** Returns a stored commit, masked. */
  commit(commit: Commit): Commit {
    if (!this.active) return commit;
    const events = commit.events.map((event) => this.event(event));
    return { ...commit, events, ...(commit.patch ? { patch: this.patch(commit.patch) } : {}) };
  }

  /** Returns the error itself, or a copy of the same class whose message, members and causes are masked. */
  readonly error = (error: unknown): unknown => (this.active ? maskError(error, this.text) : error);

  /** Masks each value once for each version of the masker. */
  #once<T extends object>(value: T, mask: () => T): T {
    if (!this.#masker || !this.active) return value;
    const { version } = this.#masker;
    const all = (this.#known ??= new WeakMap());
    const known = all.get(value);
    if (known?.version === version) return known.value as T;
    const masked = mask();
    if (masked !== value) all.set(freezeJson(masked), { version, value: masked });
    all.set(value, { version, value: masked });
    return masked;
  }
}
