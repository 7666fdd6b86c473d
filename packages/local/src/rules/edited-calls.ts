import type { EventsList, Transaction } from '@conv/core';
import {
  drafts,
  type ActionEvent,
  type Event,
  type EventDraftOfKind,
  type EventOfKind,
  isEvent,
} from '@conv/core/events';

/** A call that a person edited, as it was and as it will run. */
export interface EditedCall {
  readonly original: ActionEvent;
  readonly draft: EventDraftOfKind<'ActionEvent'>;
}

/** Begins the result of a call that a person edited; the id of the call that runs instead follows. */
const EDITED = 'The user changed the arguments of this call, which runs as the call';

/**
 * Appends the edited calls, each with the rejection of its original. Resolves with the new actions. They come before the rejections, so
 * that the calls of a response stay next to each other: providers get them, and OpenHands reads them, as one message.
 */
export async function appendEdited(
  transaction: Transaction,
  edited: readonly EditedCall[],
): Promise<readonly ActionEvent[]> {
  const appended = await transaction.append(...edited.map(({ draft }) => draft));
  const rejections = edited.map(({ original, draft }) => drafts.userReject(original, reasonFor(draft)));
  await transaction.append(...rejections);
  return appended.filter((event) => isEvent(event, 'ActionEvent'));
}

/**
 * Resolves with the last event of the edits that an event is part of, else with the event itself. HEAD never stands inside edits: a call
 * and its replacement would both wait there, and a run would approve both (P3, P10).
 */
export async function endOfEdits(events: Pick<EventsList, 'at' | 'indexOf'>, id: string): Promise<string> {
  let at = await events.indexOf(id);
  if (at === undefined) return id;
  const actions: ActionEvent[] = [];
  const rejections: EventOfKind<'UserRejectObservation'>[] = [];
  let event = await events.at(at);
  for (; event && isEvent(event, 'ActionEvent'); event = await events.at(++at)) actions.push(event);
  for (; event && isEditedAway(event); event = await events.at(++at)) rejections.push(event);
  const [first] = actions;
  const isInside = first === undefined || rejections.some((each) => each.rejection_reason === reasonFor(first));
  return (isInside ? rejections.at(-1)?.id : undefined) ?? id;
}

function isEditedAway(event: Event): event is EventOfKind<'UserRejectObservation'> {
  return isEvent(event, 'UserRejectObservation') && event.rejection_reason?.startsWith(EDITED) === true;
}

function reasonFor({ tool_call_id: id }: Pick<ActionEvent, 'tool_call_id'>): string {
  return `${EDITED} ${id}.`;
}
