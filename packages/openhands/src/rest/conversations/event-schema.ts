import { z } from 'zod';
import { eventGuards, type Event, eventSchemas, readEvent } from '@conv/core/events';
import { named } from '../../schema/index.ts';

/**
 * An event that a server tells of. Kinds and members that are not known here are kept, and one odd event never makes a page
 * unreadable; `unreadableReason` of core says what is odd. Null members, as some answers have them, are kept.
 */
export const eventSchema: z.ZodType<Event> = named(
  'Event',
  z.unknown().transform((value, context) => {
    try {
      return readEvent(value);
    } catch (error) {
      if (!eventGuards.isEventError(error)) throw error;
      context.issues.push({ code: 'custom', path: [...error.path], message: error.message, input: value });
      return z.NEVER;
    }
  }),
  { oneOf: Object.keys(eventSchemas).map((kind) => ({ $ref: `#/components/schemas/${kind}` })) },
);
