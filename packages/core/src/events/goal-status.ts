import { z } from 'zod';
import { model, optional } from './model.ts';

const goalVerdictSchema = model('ignore', {
  /** From 0 to 1. */
  score: z.number().min(0).max(1),
  complete: z.boolean(),
  /** The part of the objective that is still missing; absent means nothing was named. */
  missing: z.exactOptional(z.string()),
});

/** The last verdict of a goal's judge. */
export type GoalVerdict = z.output<typeof goalVerdictSchema>;

/** Progress of a goal loop as it is written. */
export const goalStatusSchema = model('ignore', {
  active: z.boolean(),
  status: z.enum(['running', 'complete', 'capped', 'interrupted']),
  iteration: z.int().min(0),
  max_iterations: z.int().min(1),
  objective: z.string(),
  verdict: optional(goalVerdictSchema),
});

/** Progress of a goal loop: the value of a state update with key `goal`. */
export type GoalStatus = z.output<typeof goalStatusSchema>;
