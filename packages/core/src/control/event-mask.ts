import type { Event, EventDraft } from '../events/index.ts';
import { freezeJson } from '../events/freeze-json.ts';
import { maskEvent } from './mask-event.ts';
import { maskError } from './mask-error.ts';
import { maskJson } from './mask-json.ts';
import { SECRET_MASK, type Masker } from './masker.ts';

interface Masked {
  readonly version: number;
  readonly event: Event;
}

/**
 * Masks what enters a log and what leaves it. What entered before a value was known, or came from elsewhere, stays as it is in
 * the log and is masked on its way out. A masker that fails hides the whole text (P9).
 */
export class EventMask {
  readonly #masker: Masker | undefined;
  readonly #known = new WeakMap<Event, Masked>();

  constructor(masker: Masker | undefined) {
    this.#masker = masker;
  }

  /** Whether there is anything to mask. */
  get active(): boolean {
    return this.#masker !== undefined && this.#masker.version > 0;
  }

  readonly text = (text: string): string => {
    if (!this.#masker) return text;
    try {
      return this.#masker.mask(text);
    } catch {
      return SECRET_MASK;
    }
  };

  draft<D extends EventDraft>(draft: D): D {
    return this.active ? maskEvent(draft, this.text) : draft;
  }

  /** Masked once for each event and set of values. */
  event<E extends Event>(event: E): E {
    if (!this.#masker || !this.active) return event;
    const { version } = this.#masker;
    const known = this.#known.get(event);
    if (known?.version === version) return known.event as E;
    const masked = maskEvent(event, this.text);
    if (masked !== event) freezeJson(masked);
    this.#known.set(event, { version, event: masked });
    if (masked !== event) this.#known.set(masked, { version, event: masked });
    return masked;
  }

  json<T>(value: T): T {
    return this.active ? maskJson(value, this.text) : value;
  }

  error(error: unknown): unknown {
    return this.active ? maskError(error, this.text) : error;
  }
}
