import { z } from 'zod';
import { optional } from './model.ts';

/** The value of `parent_id` that makes an event a root although the log holds earlier ones; never an event's id. */
export const ROOT_PARENT = '__root__';

/** The fields that every event has. */
export const eventBase = {
  /** Unique within a conversation; a dashed lower-case UUIDv4 when made here. */
  id: z.string().refine((id) => id !== ROOT_PARENT, { error: `"${ROOT_PARENT}" is reserved` }),
  /** Naive local ISO time with six fraction digits; compared as a string. */
  timestamp: z.string(),
  /** The origin of the event. */
  source: z.enum(['agent', 'user', 'environment', 'hook']),
  /** The event this one follows in the conversation's tree; {@link ROOT_PARENT} says "deliberately a new root". */
  parent_id: optional(z.string()),
};
