import { z } from 'zod';
import { documented } from './named.ts';

/** A member of what is handed back as it came: absent stays absent, although it means `meaning`. */
export function absent<Schema extends z.ZodType>(schema: Schema, meaning?: unknown): z.ZodExactOptional<Schema> {
  const member = z.exactOptional(schema);
  return meaning === undefined ? member : documented(member, { default: meaning });
}
