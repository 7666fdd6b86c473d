import { z } from 'zod';
import { documented } from './named.ts';

const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** A UUID in any of its spellings: dashes or none, any case, in braces, with `urn:uuid:`. It is read as the dashed lower-case one. */
export const uuid: z.ZodType<string> = uuidAs('-');

/** A UUID in any of its spellings, read as 32 lower-case hex digits. */
export const uuidKey: z.ZodType<string> = uuidAs('');

function uuidAs(separator: string): z.ZodType<string> {
  return documented(
    z.string().transform((text, context) => {
      const hex = HEX.exec(digitsOf(text));
      if (hex !== null) return hex.slice(1).join(separator);
      context.issues.push({
        code: 'invalid_format',
        format: 'uuid',
        message: 'Input should be a valid UUID',
        input: text,
      });
      return z.NEVER;
    }),
    { type: 'string', format: 'uuid' },
  );
}

function digitsOf(text: string): string {
  const lower = text.toLowerCase().replace(/^urn:uuid:/, '');
  return lower.replace(/^\{(.*)\}$/, '$1').replaceAll('-', '');
}
