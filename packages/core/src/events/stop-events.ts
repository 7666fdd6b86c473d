import { z } from 'zod';
import { type EventBase, eventBase } from './event-base.ts';
import { model } from './model.ts';

/** The run stops after the current step. */
export interface PauseEvent extends EventBase {
  readonly kind: 'PauseEvent';
}

/** The running model call or tool was cancelled. */
export interface InterruptEvent extends EventBase {
  readonly kind: 'InterruptEvent';
}

/** A pause as it is written. */
export const pauseEventSchema: z.ZodType<PauseEvent> = model('forbid', {
  ...eventBase,
  kind: z.literal('PauseEvent'),
});

/** An interrupt as it is written. */
export const interruptEventSchema: z.ZodType<InterruptEvent> = model('forbid', {
  ...eventBase,
  kind: z.literal('InterruptEvent'),
});
