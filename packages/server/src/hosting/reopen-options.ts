import type { JsonObject, StateFields } from '@conv/core';

import { storedAnsweringTools } from './answering-tools.ts';

/** Under which name clients send thresholds for finding loops, and conversations keep them. */
export const STUCK_THRESHOLDS = 'stuck_detection_thresholds';

/** Options that hold in one process only and were given when the conversation was made. */
export interface GivenAgain extends ReturnType<typeof storedAnsweringTools> {
  readonly thresholds: JsonObject | undefined;
}

/** Returns the options that a stored conversation is given again when it is opened. */
export function givenAgain(fields: Pick<StateFields, 'clientTools' | 'extra'>): GivenAgain {
  return { ...storedAnsweringTools(fields), thresholds: thresholdsOf(fields.extra.meta) };
}

/** Returns the thresholds in the metadata of a conversation. */
export function thresholdsOf(meta: JsonObject | undefined): JsonObject | undefined {
  const thresholds = meta?.[STUCK_THRESHOLDS];
  return typeof thresholds === 'object' && thresholds !== null ? (thresholds as JsonObject) : undefined;
}
