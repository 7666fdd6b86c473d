import { type Event, eventSchemas } from './event.ts';
import { isKnownEvent } from './guards.ts';
import { isObject } from '../platform/json.ts';
import { type WirePlan, wirePlanOf } from './wire-copy.ts';

/** No event made here serialises to more: clients of the protocol close a socket over a larger frame. */
export const MAX_EVENT_BYTES: number = 1024 * 1024;

/**
 * An event as log files and sockets carry it: compact, non-ASCII characters as they are, null-valued model fields left
 * out, nulls in free-form values kept. Key order is the event's own; an unknown event is written as it is.
 */
export function eventToJson(event: Event): string {
  const text = JSON.stringify(event);
  // Events made here have no nulls to drop, so only events from elsewhere need the walk.
  if (!text.includes('null') || !isKnownEvent(event)) return text;
  return JSON.stringify(withoutNulls(event, wirePlanOf(eventSchemas[event.kind])));
}

/** Size of an event in bytes of UTF-8, as {@link eventToJson} writes it. */
export function eventBytes(event: Event): number {
  return new TextEncoder().encode(eventToJson(event)).length;
}

function withoutNulls(value: unknown, plan: WirePlan): unknown {
  if (plan.type === 'pick') return withoutNulls(value, plan.pick(value));
  if (plan.type === 'list' && Array.isArray(value)) return value.map((item) => withoutNulls(item, plan.item));
  if (plan.type !== 'model' || !isObject(value)) return value;
  const keepsNull = (name: string): boolean => plan.extra !== 'keep' && !plan.fields.has(name);
  const fields = Object.entries(value).filter(([name, field]) => field !== null || keepsNull(name));
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const fieldPlan = plan.fields.get(name);
      return [name, fieldPlan === undefined ? field : withoutNulls(field, fieldPlan)];
    }),
  );
}
