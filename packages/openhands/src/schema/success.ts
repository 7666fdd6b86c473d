import type { z } from 'zod';
import { named } from './named.ts';
import { answer } from './objects.ts';
import { boolean } from './scalars.ts';

/** Answer of a command without a result. */
export interface Success {
  readonly success: boolean;
}

/** The schema of {@link Success}. */
export const successSchema: z.ZodType<Success> = named('Success', answer({ success: boolean().default(true) }));
