import { z } from 'zod';
import { model } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** End the task with a closing message. */
export interface FinishAction {
  readonly message: string;
  readonly kind: 'FinishAction';
}

/** Answer to a finish call. */
export interface FinishObservation extends ObservationBase {
  readonly kind: 'FinishObservation';
}

/** Write a thought into the history. */
export interface ThinkAction {
  readonly thought: string;
  readonly kind: 'ThinkAction';
}

/** Answer to a think call. */
export interface ThinkObservation extends ObservationBase {
  readonly kind: 'ThinkObservation';
}

/** End the task with a closing message. */
export const finishActionSchema: z.ZodType<FinishAction> = model('forbid', {
  message: z.string(),
  kind: z.literal('FinishAction'),
});

/** Answer to a finish call. */
export const finishObservationSchema: z.ZodType<FinishObservation> = model('forbid', {
  ...observationBase,
  kind: z.literal('FinishObservation'),
});

/** Write a thought into the history. */
export const thinkActionSchema: z.ZodType<ThinkAction> = model('forbid', {
  thought: z.string(),
  kind: z.literal('ThinkAction'),
});

/** Answer to a think call. */
export const thinkObservationSchema: z.ZodType<ThinkObservation> = model('forbid', {
  ...observationBase,
  kind: z.literal('ThinkObservation'),
});
