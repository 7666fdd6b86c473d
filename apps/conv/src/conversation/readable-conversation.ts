import {
  type ConversationHistory,
  type ConversationView,
  type EventsList,
  initialFields,
  type StateFields,
} from '@conv/core';
import type { Damage } from '@conv/core/store';

/** A conversation for reading, in a store or on a server. */
export interface ReadableConversation extends AsyncDisposable {
  readonly id: string;
  /** As it is now. */
  readonly state: ConversationView;
  readonly events: EventsList;
  readonly past: Pick<ConversationHistory, 'at' | 'commits' | 'replay'>;
  /** The damage found so far. */
  readonly damage: readonly Damage[];
}

/** The part of a state that is stored. */
export function fieldsOf(state: ConversationView): StateFields {
  const names = Object.keys(initialFields) as (keyof StateFields)[];
  return Object.fromEntries(names.map((name) => [name, state[name]])) as unknown as StateFields;
}
