import { z } from 'zod';
import { model } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** Entry of the agent's task list. */
export interface TaskItem {
  readonly title: string;
  readonly notes?: string;
  /** Absent means `todo`. */
  readonly status?: 'todo' | 'in_progress' | 'done';
}

/** Show or replace the task list. */
export interface TaskTrackerAction {
  /** Absent means `view`. */
  readonly command?: 'view' | 'plan';
  readonly task_list?: readonly TaskItem[];
  readonly kind: 'TaskTrackerAction';
}

/** The task list after the command. */
export interface TaskTrackerObservation extends ObservationBase {
  readonly command: 'view' | 'plan';
  readonly task_list?: readonly TaskItem[];
  readonly kind: 'TaskTrackerObservation';
}

const taskItemSchema: z.ZodType<TaskItem> = model('ignore', {
  title: z.string(),
  notes: z.exactOptional(z.string()),
  status: z.exactOptional(z.enum(['todo', 'in_progress', 'done'])),
});

/** Show or replace the task list. */
export const taskTrackerActionSchema: z.ZodType<TaskTrackerAction> = model('forbid', {
  command: z.exactOptional(z.enum(['view', 'plan'])),
  task_list: z.exactOptional(z.array(taskItemSchema)),
  kind: z.literal('TaskTrackerAction'),
});

/** The task list after the command. */
export const taskTrackerObservationSchema: z.ZodType<TaskTrackerObservation> = model('forbid', {
  ...observationBase,
  command: z.enum(['view', 'plan']),
  task_list: z.exactOptional(z.array(taskItemSchema)),
  kind: z.literal('TaskTrackerObservation'),
});
