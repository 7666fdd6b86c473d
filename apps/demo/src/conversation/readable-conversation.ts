import type { ConversationHistory, ConversationView, EventsList, StateFields, StateView } from '@conv/core';
import type { Damage } from '@conv/core/store';

/** A conversation to look at, wherever it is kept. */
export interface ReadableConversation extends AsyncDisposable {
  readonly id: string;
  /** As it is now. */
  readonly state: StateView;
  readonly events: EventsList;
  readonly past: Pick<ConversationHistory, 'at' | 'commits' | 'replay'>;
  /** What could not be read so far. */
  readonly damage: readonly Damage[];
}

/** The stored part of a state of this conversation, now or as it was. */
export function fieldsOf({ state }: ReadableConversation, then: ConversationView): StateFields {
  const names = Object.keys(state.fields) as (keyof StateFields)[];
  return Object.fromEntries(names.map((name) => [name, then[name]])) as unknown as StateFields;
}
