import { isEvent, type Event } from '@conv/core/events';

/** The code of the events that stand in for lost ones. */
export const LOST = 'EventLost';

/** True for the content of a file that stands in for a lost event. */
export function isStandIn(event: Event): boolean {
  return isEvent(event, 'ConversationErrorEvent') && event.code === LOST && event.source === 'environment';
}
