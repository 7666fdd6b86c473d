import { narrowEvent, type Event } from '../../src/events/index.ts';

/** Types that follow from a kind; compiled by the type check, never run. */
export function kinds(given: Event): string {
  const event = narrowEvent(given);
  if (event.kind === 'ActionEvent') event.tool_call.name satisfies string;
  // @ts-expect-error there is no such kind
  if (event.kind === 'UserMessageEvent') return '';
  // @ts-expect-error a message has no such field
  if (event.kind === 'MessageEvent') return event.tool_name;
  return event.kind === 'UnknownEvent' ? JSON.stringify(event.stored) : event.timestamp;
}
