import { eventGuards, type Event, isEvent, isText } from '@conv/core/events';
import { toLlmMessage } from '@conv/openhands/messages';
import { isLlmError, type LlmErrorCode } from '../model/llm-error.ts';
import { asRecord, withoutImages, withoutReasoning, withoutResult } from './repaired-event.ts';

/** The events that are sent in another form than they are stored. */
interface Repaired {
  readonly withoutImages: ReadonlySet<string>;
  readonly withoutResult: ReadonlySet<string>;
  /** The newest timestamp of the events that are told as a record, without calls and reasoning. */
  readonly recordUntil: string;
}

const NOTHING: Repaired = { withoutImages: new Set(), withoutResult: new Set(), recordUntil: '' };

/**
 * Repairs a history that a provider refused in its stored form. A refusal leads to at most three further requests.
 * Repairs that were accepted stay for the rest of the session, so that one bad result does not spoil all later turns.
 * The log is not changed; another session, maybe with another model, begins with the whole history again.
 */
export class Repairs {
  #repaired: Repaired = NOTHING;

  /** Returns the events in the form in which they are sent; the same array if there are no repairs. */
  apply(view: readonly Event[]): readonly Event[] {
    const { withoutImages: images, withoutResult: results, recordUntil } = this.#repaired;
    if (this.#repaired === NOTHING) return view;
    return view.map((event) => {
      if (event.timestamp <= recordUntil) return asOfRecord(event);
      if (results.has(event.id)) return withoutResult(event);
      return images.has(event.id) ? withoutImages(event) : event;
    });
  }

  /**
   * Sends `view` with `send`, and again with repairs as long as it is refused for its content. Rejects with the first
   * refusal if no repair helps, and at once with any other error. With `canCondense`, a malformed history is not
   * repaired but left to a condensation, because a model that reads records of calls begins to write such records.
   */
  async sending<T>(
    view: readonly Event[],
    send: (events: readonly Event[]) => Promise<T>,
    canCondense: boolean,
  ): Promise<T> {
    const before = this.#kept(view);
    this.#repaired = before;
    try {
      return await send(this.apply(view));
    } catch (refusal) {
      const isLeft = canCondense && isLlmError(refusal, 'MALFORMED_HISTORY');
      const repairs = isLlmError(refusal) && !isLeft ? repairsFor(refusal.code, view, before) : [];
      for (const repaired of repairs) {
        this.#repaired = repaired;
        try {
          return await send(this.apply(view));
        } catch (error) {
          if (isLlmError(error) && isLlmError(refusal) && error.code === refusal.code) continue;
          this.#repaired = before;
          throw error;
        }
      }
      this.#repaired = before;
      throw refusal;
    }
  }

  /** Returns the repairs without the events that a condensation took out of the view. */
  #kept(view: readonly Event[]): Repaired {
    if (this.#repaired === NOTHING) return NOTHING;
    const { withoutImages: images, withoutResult: results, recordUntil } = this.#repaired;
    const inSight = (ids: ReadonlySet<string>): ReadonlySet<string> =>
      new Set(view.filter(({ id }) => ids.has(id)).map(({ id }) => id));
    return { withoutImages: inSight(images), withoutResult: inSight(results), recordUntil };
  }
}

/**
 * Lists the repairs for a refusal, from the smallest loss to the greatest, without repairs that would change nothing.
 */
function repairsFor(code: LlmErrorCode, view: readonly Event[], before: Repaired): readonly Repaired[] {
  if (code === 'MALFORMED_HISTORY') {
    const recordUntil = view.at(-1)?.timestamp ?? '';
    return recordUntil > before.recordUntil ? [{ ...before, recordUntil }] : [];
  }
  if (code !== 'BAD_REQUEST') return [];
  const fresh = view.slice(view.findLastIndex(isAnswer) + 1);
  const steps = [
    withMore(before, fresh.filter(showsImage), []),
    withMore(before, view.filter(showsImage), []),
    withMore(before, view.filter(showsImage), fresh.filter(eventGuards.isObservationLike)),
  ];
  const sizeOf = ({ withoutImages: images, withoutResult: results }: Repaired): number => images.size + results.size;
  return steps.filter((step, index) => sizeOf(step) > sizeOf(steps[index - 1] ?? before));
}

function withMore(before: Repaired, images: readonly Event[], results: readonly Event[]): Repaired {
  const ids = (events: readonly Event[]): readonly string[] => events.map(({ id }) => id);
  return {
    ...before,
    withoutImages: new Set([...before.withoutImages, ...ids(images)]),
    withoutResult: new Set([...before.withoutResult, ...ids(results)]),
  };
}

/** True for an answer of the model: events behind the last answer were never accepted. */
function isAnswer(event: Event): boolean {
  return isEvent(event, 'ActionEvent') || (isEvent(event, 'MessageEvent') && event.source === 'agent');
}

function showsImage(event: Event): boolean {
  if (!isEvent(event, 'MessageEvent') && !isEvent(event, 'ObservationEvent')) return false;
  return toLlmMessage(event).content.some((part) => !isText(part));
}

function asOfRecord(event: Event): Event {
  if (isEvent(event, 'ActionEvent') || eventGuards.isObservationLike(event)) return asRecord(event);
  return isEvent(event, 'MessageEvent') ? withoutReasoning(event) : event;
}
