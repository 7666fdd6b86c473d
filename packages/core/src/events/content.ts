import { z } from 'zod';
import { isObject } from '../platform/json.ts';
import { model, pickSchema } from './model.ts';

const cachePrompt = z.exactOptional(z.boolean());

export const textContentSchema = model('forbid', {
  /** Absent means false. */
  cache_prompt: cachePrompt,
  type: z.exactOptional(z.literal('text')),
  text: z.string(),
});

const imageContentSchema = model('ignore', {
  /** Absent means false. */
  cache_prompt: cachePrompt,
  type: z.exactOptional(z.literal('image')),
  /** `http(s):` or `data:` URLs; at least one. */
  image_urls: z.array(z.string()),
});

/** A piece of text in a message or an observation. */
export type TextContent = z.output<typeof textContentSchema>;

/** A part of a message or an observation. */
export type ContentPart = TextContent | z.output<typeof imageContentSchema>;

/** A text or image part. The wire has no reliable discriminator: what has `image_urls` is an image. */
export const contentPartSchema: z.ZodType<ContentPart> = pickSchema(
  { name: 'ContentPart', members: { TextContent: textContentSchema, ImageContent: imageContentSchema } },
  (part) => (isObject(part) && 'image_urls' in part ? imageContentSchema : textContentSchema),
);

/** Makes a text part with the fields in the order of the wire. */
export function textContent(text: string): TextContent {
  return { cache_prompt: false, type: 'text', text };
}

/** Makes an image part from `http(s):` or `data:` URLs. */
export function imageContent(...urls: readonly string[]): z.output<typeof imageContentSchema> {
  return { cache_prompt: false, type: 'image', image_urls: urls };
}

/** True if a part is text. */
export function isText(part: ContentPart): part is TextContent {
  return 'text' in part;
}

/**
 * The parts of a message or an observation, with the wire's defaults applied: absent and null content is empty, a bare
 * string is one text part.
 */
export function contentParts(owner: {
  readonly content?: readonly ContentPart[] | string | null;
}): readonly ContentPart[] {
  const { content } = owner;
  return typeof content === 'string' ? [textContent(content)] : (content ?? []);
}

/** Returns the text of the parts that are text, put together. */
export function joinedText(parts: readonly ContentPart[]): string {
  return parts.map((part) => (isText(part) ? part.text : '')).join('');
}
