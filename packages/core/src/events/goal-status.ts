import { z } from 'zod';
import { model, optional } from './model.ts';

/** The last verdict of a goal's judge. */
export interface GoalVerdict {
  /** From 0 to 1. */
  readonly score: number;
  readonly complete: boolean;
  /** The part of the objective that is still missing; absent means nothing was named. */
  readonly missing?: string;
}

/** Progress of a goal loop: the value of a state update with key `goal`. */
export interface GoalStatus {
  readonly active: boolean;
  readonly status: 'running' | 'complete' | 'capped' | 'interrupted';
  readonly iteration: number;
  readonly max_iterations: number;
  readonly objective: string;
  readonly verdict?: GoalVerdict | null;
}

const goalVerdictSchema: z.ZodType<GoalVerdict> = model('ignore', {
  score: z.number().min(0).max(1),
  complete: z.boolean(),
  missing: z.exactOptional(z.string()),
});

/** Progress of a goal loop as it is written. */
export const goalStatusSchema: z.ZodType<GoalStatus> = model('ignore', {
  active: z.boolean(),
  status: z.enum(['running', 'complete', 'capped', 'interrupted']),
  iteration: z.int().min(0),
  max_iterations: z.int().min(1),
  objective: z.string(),
  verdict: optional(goalVerdictSchema),
});
