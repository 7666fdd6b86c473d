import { type ConversationView, initialFields, type StateFields } from '@conv/core';

/** Returns the fields of a state as plain JSON, without what is computed from them. */
export function plainState(state: ConversationView): StateFields {
  const names = Object.keys(initialFields) as (keyof StateFields)[];
  return Object.fromEntries(names.map((name) => [name, state[name]])) as unknown as StateFields;
}
