import { z } from 'zod';
import { model, optional } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** The observation of a browser tool. */
export interface BrowserObservation extends ObservationBase {
  /** Base64 of an image, without a `data:` prefix. */
  readonly screenshot_data?: string | null;
  /** Folder in which the complete output is kept when it is too long for the model. */
  readonly full_output_save_dir?: string | null;
  readonly kind: 'BrowserObservation';
}

/** The answer of a sub-agent. */
export interface TaskObservation extends ObservationBase {
  readonly task_id: string;
  readonly subagent: string;
  readonly status: string;
  readonly kind: 'TaskObservation';
}

/** Schema of the observation of a browser tool. */
export const browserObservationSchema: z.ZodType<BrowserObservation> = model('forbid', {
  ...observationBase,
  screenshot_data: optional(z.string()),
  full_output_save_dir: optional(z.string()),
  kind: z.literal('BrowserObservation'),
});

/** Schema of the answer of a sub-agent. */
export const taskObservationSchema: z.ZodType<TaskObservation> = model('forbid', {
  ...observationBase,
  task_id: z.string(),
  subagent: z.string(),
  status: z.string(),
  kind: z.literal('TaskObservation'),
});
