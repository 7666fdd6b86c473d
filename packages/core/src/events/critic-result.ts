import { z } from 'zod';
import { isObject, type JsonObject } from '../platform/json.ts';
import { model, neverNullText, optional } from './model.ts';

/** A critic's verdict on a message or an action. */
export interface CriticResult {
  /** From 0 to 1. */
  readonly score: number;
  /** Null is written as an empty text: the reference cannot read back what it writes for null. */
  readonly message?: string | null;
  readonly metadata?: JsonObject | null;
}

/** A critic's verdict as it is written. */
export const criticResultSchema: z.ZodType<CriticResult> = model('ignore', {
  score: z.number().min(0).max(1),
  message: neverNullText(),
  metadata: optional(z.custom<JsonObject>(isObject)),
});
