import { z } from 'zod';
import { model, optional } from './model.ts';

/** The class of an error, in terms a client can act on. */
export interface ErrorClassification {
  readonly kind: 'auth' | 'quota' | 'rate_limit' | 'config' | 'transient' | 'agent_action' | 'internal' | 'unknown';
  readonly retryable: boolean;
  /** The action that the user can take; absent means `none`. */
  readonly user_action?: 'none' | 'retry' | 'settings';
  readonly error_id?: string | null;
}

/** An error classification as it is written. */
export const errorClassificationSchema: z.ZodType<ErrorClassification> = model('forbid', {
  kind: z.enum(['auth', 'quota', 'rate_limit', 'config', 'transient', 'agent_action', 'internal', 'unknown']),
  retryable: z.boolean(),
  user_action: z.exactOptional(z.enum(['none', 'retry', 'settings'])),
  error_id: optional(z.string()),
});
