import { z } from 'zod';
import { jsonObject, model, neverNullText, optional } from './model.ts';

export const errorClassificationSchema = model('forbid', {
  kind: z.enum(['auth', 'quota', 'rate_limit', 'config', 'transient', 'agent_action', 'internal', 'unknown']),
  retryable: z.boolean(),
  /** The action that the user can take; absent means `none`. */
  user_action: z.exactOptional(z.enum(['none', 'retry', 'settings'])),
  error_id: optional(z.string()),
});

/** The class of an error, in terms a client can act on. */
export type ErrorClassification = z.output<typeof errorClassificationSchema>;

/** A critic's verdict on a message or an action. */
export const criticResultSchema = model('ignore', {
  score: z.number().min(0).max(1),
  /** Null is written as an empty text: the reference cannot read back what it writes for null. */
  message: neverNullText(),
  metadata: optional(jsonObject),
});
