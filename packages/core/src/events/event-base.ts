import { z } from 'zod';
import { optional } from './model.ts';

/** The origin of an event. */
export type EventSource = 'agent' | 'user' | 'environment' | 'hook';

/** The fields that every event has. */
export interface EventBase {
  /** Unique within a conversation; a dashed lower-case UUIDv4 when made here. */
  readonly id: string;
  /** Naive local ISO time with six fraction digits; compared as a string. */
  readonly timestamp: string;
  readonly source: EventSource;
  /** The event this one follows in the conversation's tree; {@link ROOT_PARENT} says "deliberately a new root". */
  readonly parent_id?: string | null;
}

/** The value of `parent_id` that makes an event a root although the log holds earlier ones; never an event's id. */
export const ROOT_PARENT = '__root__';

/** Schemas of the base fields, to be spread first into each event's schema. */
export const eventBase: {
  readonly id: z.ZodString;
  readonly timestamp: z.ZodString;
  readonly source: z.ZodEnum<{ agent: 'agent'; user: 'user'; environment: 'environment'; hook: 'hook' }>;
  readonly parent_id: z.ZodExactOptional<z.ZodNullable<z.ZodString>>;
} = {
  id: z.string().refine((id) => id !== ROOT_PARENT, { error: `"${ROOT_PARENT}" is reserved` }),
  timestamp: z.string(),
  source: z.enum(['agent', 'user', 'environment', 'hook']),
  parent_id: optional(z.string()),
};
