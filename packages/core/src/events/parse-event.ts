import { type Event, eventSchemas, isEventKind, type UnknownEvent } from './event.ts';
import { eventBase } from './event-base.ts';
import { EventError, fromZodError } from './event-error.ts';
import { freezeJson } from './freeze-json.ts';
import { isObject } from '../platform/json.ts';
import { model } from './model.ts';
import { quickCheckOf } from './quick-check.ts';
import { markUnreadable, unreadableReason } from './unreadable.ts';
import { z } from 'zod';

const unknownEventSchema: z.ZodType = model('keep', { ...eventBase, source: z.string(), kind: z.string() });

type Identified = { readonly id: string; readonly kind: string; readonly [field: string]: unknown };

/**
 * Makes an event of a decoded JSON value. The result is the given object itself, deeply frozen; unknown fields and key order
 * stay, and absent fields stay absent.
 *
 * An event of an unknown kind is accepted if its base fields are valid.
 * @throws EventError `INVALID_EVENT` naming the field that is wrong, with the zod error as `cause`.
 */
export function parseEvent(value: unknown): Event {
  const identified = identify(value);
  const failure = validate(identified);
  if (failure !== undefined) throw failure;
  return freezeJson(identified) as UnknownEvent;
}

/**
 * Makes an event of a stored JSON value and refuses almost nothing, so that one invalid event never makes a history unreadable.
 * Where {@link parseEvent} would throw, the result is an {@link UnknownEvent} for which `unreadableReason` returns the reason. If
 * only the `action` or the `observation` is invalid, only that part is treated as unknown.
 * @throws EventError `INVALID_EVENT` if the value is not a plain JSON object with a string `id` and `kind`.
 */
export function readEvent(value: unknown): Event {
  const identified = identify(value);
  if (unreadableReason(identified) !== undefined) return identified as UnknownEvent;
  const failure = validate(identified);
  return freezeJson(failure === undefined ? identified : markWhatIsWrong(identified, failure)) as UnknownEvent;
}

function identify(value: unknown): Identified {
  if (!isObject(value)) throw new EventError('an event must be an object');
  const { id, kind } = value;
  if (typeof kind !== 'string') throw new EventError('an event must have a string kind', { path: ['kind'] });
  if (typeof id !== 'string') throw new EventError(`${kind}: the id must be a string`, { path: ['id'] });
  return value as Identified;
}

function validate(event: Identified): EventError | undefined {
  const schema = isEventKind(event.kind) ? eventSchemas[event.kind] : unknownEventSchema;
  if (quickCheckOf(schema)(event)) return undefined;
  const result = schema.safeParse(event);
  return result.success ? undefined : fromZodError(`${event.kind} ${event.id}`, result.error);
}

function markWhatIsWrong(event: Identified, failure: EventError): Identified {
  const own = extensible(event);
  const part = failure.path[0] === 'action' || failure.path[0] === 'observation' ? failure.path[0] : undefined;
  const inner = part === undefined ? undefined : own[part];
  if (part === undefined || !isObject(inner) || validate({ ...own, [part]: { ...inner, kind: '' } }) !== undefined) {
    markUnreadable(own, failure.message);
    return own;
  }
  const open = extensible(inner);
  Reflect.set(own, part, open);
  markUnreadable(open, failure.message);
  return own;
}

function extensible<T extends object>(value: T): T {
  return Object.isExtensible(value) ? value : { ...value };
}
