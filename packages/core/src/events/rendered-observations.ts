import { z } from 'zod';
import { model, optional } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** What a browser tool saw. */
export interface BrowserObservation extends ObservationBase {
  /** Base64 of an image, without a `data:` prefix. */
  readonly screenshot_data?: string | null;
  /** Folder in which the complete output is kept when it is too long for the model. */
  readonly full_output_save_dir?: string | null;
  readonly kind: 'BrowserObservation';
}

/** What a sub-agent answered. */
export interface TaskObservation extends ObservationBase {
  readonly task_id: string;
  readonly subagent: string;
  readonly status: string;
  readonly kind: 'TaskObservation';
}

/** What a browser tool saw. */
export const browserObservationSchema: z.ZodType<BrowserObservation> = model('forbid', {
  ...observationBase,
  screenshot_data: optional(z.string()),
  full_output_save_dir: optional(z.string()),
  kind: z.literal('BrowserObservation'),
});

/** What a sub-agent answered. */
export const taskObservationSchema: z.ZodType<TaskObservation> = model('forbid', {
  ...observationBase,
  task_id: z.string(),
  subagent: z.string(),
  status: z.string(),
  kind: z.literal('TaskObservation'),
});
