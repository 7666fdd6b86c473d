import {
  type Event,
  type EventDraft,
  type EventKind,
  isAction,
  isEvent,
  isObservation,
  stampEvent,
  userMessage,
} from '../../src/events/index.ts';
import { isKnownEvent } from '../../src/events/guards.ts';
import { pause } from '../../src/events/conversation-drafts.ts';

/** Types that the guards narrow to; compiled by the type check, never run. */
export function narrowing(event: Event): void {
  event.id satisfies string;
  // @ts-expect-error an event of an unknown kind may have any kind, so comparing it proves nothing
  if (event.kind === 'ActionEvent') event.tool_call.name satisfies string;
  if (isEvent(event, 'ActionEvent')) {
    event.tool_call.name satisfies string;
    if (isAction(event.action, 'TerminalAction')) event.action.command satisfies string;
  }
  if (isEvent(event, 'ObservationEvent') && isObservation(event.observation, 'TaskTrackerObservation')) {
    event.observation.task_list?.[0]?.title satisfies string | undefined;
  }
  // @ts-expect-error there is no such kind
  isEvent(event, 'UserMessageEvent');
  // @ts-expect-error events are immutable
  event.id = 'b';
}

/** Among known events the kind tells the fields. */
export function knownEvents(event: Event): void {
  if (!isKnownEvent(event)) return;
  event.kind satisfies EventKind;
  if (event.kind === 'MessageEvent') event.llm_message.role satisfies string;
}

/** Stamping keeps the kind. */
export function stamping(draft: EventDraft): void {
  const stamp = { id: 'a', timestamp: 't' };
  stampEvent(userMessage('a'), stamp).llm_message.role satisfies string;
  stampEvent(pause(), stamp).kind satisfies 'PauseEvent';
  stampEvent(draft, stamp) satisfies Event;
  // @ts-expect-error the protocol has no such field
  const withReason: EventDraft = { source: 'user', kind: 'PauseEvent', reason: 'x' };
  stampEvent(withReason, stamp);
}
