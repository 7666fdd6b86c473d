import { z } from 'zod';
import { model, optional } from './model.ts';

/** What went wrong, in terms a client can act on. */
export interface ErrorClassification {
  readonly kind: 'auth' | 'quota' | 'rate_limit' | 'config' | 'transient' | 'agent_action' | 'internal' | 'unknown';
  readonly retryable: boolean;
  /** What the user can do; absent means `none`. */
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
