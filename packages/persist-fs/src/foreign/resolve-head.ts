import type { JsonObject, StateFields } from '@conv/core';
import type { JournalReader } from '@conv/core/store';
import { fallbackOf } from './fallback-head.ts';

/** The HEAD of a conversation: the event after which it continues. */
export type Head = Partial<Pick<StateFields, 'leafEventId' | 'headIsEmpty'>>;

/**
 * Finds HEAD as OpenHands does: the event that `base_state.json` names, no event if it says so, else the last event
 * that is not an artefact of the program. Resolves with `undefined` if the named event is not there.
 */
export async function resolveHead(reader: JournalReader, base: JsonObject): Promise<Head | undefined> {
  const { leaf_event_id: named, head_is_empty: empty } = base;
  if (typeof named === 'string')
    return (await reader.locate(named)) === undefined ? undefined : { leafEventId: named, headIsEmpty: false };
  if (empty === true) return { leafEventId: null, headIsEmpty: true };
  return { leafEventId: await fallbackOf(reader), headIsEmpty: false };
}
