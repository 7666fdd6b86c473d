import { z } from 'zod';
import { type ContentPart, contentPartSchema } from './content.ts';

/** The fields that every observation has. */
export interface ObservationBase {
  /** Read it with {@link contentParts}; absent means empty. */
  readonly content?: readonly ContentPart[];
  /** Absent means false. */
  readonly is_error?: boolean;
}

/** Schemas of the fields of every observation, to be spread first. */
export const observationBase: {
  readonly content: z.ZodExactOptional<z.ZodArray<z.ZodType<ContentPart>>>;
  readonly is_error: z.ZodExactOptional<z.ZodBoolean>;
} = {
  content: z.exactOptional(z.array(contentPartSchema)),
  is_error: z.exactOptional(z.boolean()),
};
