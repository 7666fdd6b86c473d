import type { Event } from '@ag-ui/core';

/** An object with the text of its type, where the protocol's package has a member of an enum. */
type Plain<Typed> = Typed extends { readonly type: infer Type extends string }
  ? Omit<Typed, 'type'> & { readonly type: `${Type}` }
  : never;

/** An event of the protocol, as JSON has it. */
export type AgUiEvent = Plain<Event>;

/** An event, with the cursor of a client that has taken it. */
export interface NumberedEvent {
  readonly event: AgUiEvent;
  readonly cursor: number;
}
