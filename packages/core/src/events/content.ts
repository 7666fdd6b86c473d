import { z } from 'zod';
import { isObject } from '../platform/json.ts';
import { model, pickSchema } from './model.ts';

/** A piece of text in a message or an observation. */
export interface TextContent {
  /** Absent means false. */
  readonly cache_prompt?: boolean;
  readonly type?: 'text';
  readonly text: string;
}

/** Images in a message or an observation; at least one. */
export interface ImageContent {
  /** Absent means false. */
  readonly cache_prompt?: boolean;
  readonly type?: 'image';
  /** `http(s):` or `data:` URLs. */
  readonly image_urls: readonly string[];
}

/** A part of a message or an observation. */
export type ContentPart = TextContent | ImageContent;

/** A text part as it is written. */
export const textContentSchema: z.ZodType<TextContent> = model('forbid', {
  cache_prompt: z.exactOptional(z.boolean()),
  type: z.exactOptional(z.literal('text')),
  text: z.string(),
});

const imageContentSchema: z.ZodType<ImageContent> = model('ignore', {
  cache_prompt: z.exactOptional(z.boolean()),
  type: z.exactOptional(z.literal('image')),
  image_urls: z.array(z.string()),
});

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
export function imageContent(...urls: readonly string[]): ImageContent {
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
  if (content === undefined || content === null) return [];
  return typeof content === 'string' ? [textContent(content)] : content;
}
