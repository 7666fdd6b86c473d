import { z } from 'zod';
import { eventGuards, type Event, eventSchemas, readEvent } from '@conv/core/events';
import { named } from '../../schema/index.ts';

/**
 * An event in an answer of a server. Unknown kinds and members are kept. One invalid event never makes a page unreadable;
 * `unreadableReason` of core returns its problem. Null members, which some answers have, are kept.
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
