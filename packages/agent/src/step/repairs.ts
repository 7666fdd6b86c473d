import { type Event, isEvent, isObservationLike, isText } from '@conv/core/events';
import { toLlmMessage } from '@conv/core/messages';
import { isLlmError, type LlmErrorCode } from '../model/llm-error.ts';
import { asRecord, withoutImages, withoutReasoning, withoutResult } from './repaired-event.ts';

/** What is sent otherwise than it is stored. */
interface Repaired {
  readonly withoutImages: ReadonlySet<string>;
  readonly withoutResult: ReadonlySet<string>;
  /** What is not younger is told as a record, without calls and reasoning. */
  readonly recordUntil: string;
}

const NOTHING: Repaired = { withoutImages: new Set(), withoutResult: new Set(), recordUntil: '' };

/**
 * How a history is sent that a provider refused as it is stored. Each refusal is met by at most three further requests, and
 * what was accepted in the end stays so for the rest of the session: nothing that one result did spoils all later turns. The
 * log is not changed; another session, maybe with another model, begins with the whole again.
 */
export class Repairs {
  #repaired: Repaired = NOTHING;

  /** The events as they are to be sent. The same array when nothing was refused. */
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
   * Sends `view` with `send`, and again with repairs as long as it is refused for its content. Rejects with the first refusal
   * when nothing helped, and with any other error as it comes. `canCondense`: a history of a form that is refused is left to
   * that, because a model that reads of calls begins to write of them.
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

  /** Without what a condensation took out of sight. */
  #kept(view: readonly Event[]): Repaired {
    if (this.#repaired === NOTHING) return NOTHING;
    const { withoutImages: images, withoutResult: results, recordUntil } = this.#repaired;
    const inSight = (ids: ReadonlySet<string>): ReadonlySet<string> =>
      new Set(view.filter(({ id }) => ids.has(id)).map(({ id }) => id));
    return { withoutImages: inSight(images), withoutResult: inSight(results), recordUntil };
  }
}

/** From the one that takes the least to the one that takes the most; what changes nothing is left out. */
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
    withMore(before, view.filter(showsImage), fresh.filter(isObservationLike)),
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

/** What came after it was never accepted. */
function isAnswer(event: Event): boolean {
  return isEvent(event, 'ActionEvent') || (isEvent(event, 'MessageEvent') && event.source === 'agent');
}

function showsImage(event: Event): boolean {
  if (!isEvent(event, 'MessageEvent') && !isEvent(event, 'ObservationEvent')) return false;
  return toLlmMessage(event).content.some((part) => !isText(part));
}

function asOfRecord(event: Event): Event {
  if (isEvent(event, 'ActionEvent') || isObservationLike(event)) return asRecord(event);
  return isEvent(event, 'MessageEvent') ? withoutReasoning(event) : event;
}
