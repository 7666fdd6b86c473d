import { z } from 'zod';

/** Names and values that a person gives a conversation. */
export type Tags = Readonly<Record<string, string>>;

/** Tags that a client sets: names of lower-case letters and digits, values of at most 256 characters. */
export const tagsSchema: z.ZodType<Tags> = z.record(
  z.string().regex(/^[a-z0-9]+$/, { error: 'Tag names are lower-case letters and digits' }),
  z.string().max(256),
);
