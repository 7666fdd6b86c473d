import { z } from 'zod';
import type { Json } from '@conv/core/events';
import { kept } from '../schema/index.ts';

/** A description of a kind that is not known here; kept as it is. */
export interface OtherKind {
  readonly kind: string;
  readonly [member: string]: Json;
}

/** Any description that says its kind. */
export const otherKindSchema: z.ZodType<OtherKind> = kept({ kind: z.string() }) as unknown as z.ZodType<OtherKind>;
