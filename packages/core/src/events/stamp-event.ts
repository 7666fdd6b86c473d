import { type EventDraft, type EventOfKind, eventSchemas, isEventKind } from './event.ts';
import { EventError } from './event-error.ts';
import { parseEvent } from './parse-event.ts';
import { wireCopy, wirePlanOf } from './wire-copy.ts';

/**
 * Turns a draft into an event. The draft's own id, time and parent win over those of the stamp; the stamp has no parent for the
 * first event of a log. The draft is copied. The result has the reference's field order, and no nulls where the reference cannot
 * read them.
 * @throws EventError `INVALID_EVENT` if a field is wrong, or if the protocol forbids a field.
 */
export function stampEvent<Draft extends EventDraft>(
  draft: Draft,
  stamp: { readonly id: string; readonly timestamp: string; readonly parentId?: string | null },
): EventOfKind<Draft['kind']> {
  if (!isEventKind(draft.kind))
    throw new EventError(`${String(draft.kind)}: no such kind of event; see eventSchemas`, { path: ['kind'] });
  const stamped = {
    ...draft,
    id: draft.id ?? stamp.id,
    timestamp: draft.timestamp ?? stamp.timestamp,
    parent_id: draft.parent_id ?? stamp.parentId,
  };
  return parseEvent(wireCopy(stamped, wirePlanOf(eventSchemas[draft.kind]))) as EventOfKind<Draft['kind']>;
}
