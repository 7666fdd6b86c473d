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
  return utf8Bytes(eventToJson(event));
}

function withoutNulls(value: unknown, plan: WirePlan): unknown {
  if (plan.type === 'pick') return withoutNulls(value, plan.pick(value));
  if (plan.type === 'list' && Array.isArray(value)) return value.map((item) => withoutNulls(item, plan.item));
  if (plan.type !== 'model' || !isObject(value)) return value;
  const fields = Object.entries(value).filter(([name, field]) => field !== null || isForeign(name, plan));
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const fieldPlan = plan.fields.get(name);
      return [name, fieldPlan === undefined ? field : withoutNulls(field, fieldPlan)];
    }),
  );
}

function isForeign(name: string, plan: Extract<WirePlan, { type: 'model' }>): boolean {
  return plan.extra !== 'keep' && !plan.fields.has(name);
}

function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Two units of a surrogate pair make four bytes, so each counts two; any other unit counts one to three.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
