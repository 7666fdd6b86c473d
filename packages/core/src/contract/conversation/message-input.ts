import { imageContent, textContent, type ContentPart, type MessageEvent } from '../../events/index.ts';
import { isObject } from '../../platform/json.ts';
import { invalidOption, wrongOption, wrongValue } from '../settings-input/invalid-option.ts';

/** A part of a message as people write it: a text, a part of the wire, or an image as OpenAI's API has it. */
export type MessagePart =
  | string
  | { readonly type?: 'text'; readonly text: string; readonly cache_prompt?: boolean }
  | { readonly type?: 'image'; readonly image_urls: readonly string[]; readonly cache_prompt?: boolean }
  | { readonly type: 'image_url'; readonly image_url: string | { readonly url: string } };

/** The parts of a message: text, parts of text and images, or a message of role `user`. */
export type MessageInput =
  | string
  | readonly MessagePart[]
  | { readonly role: 'user'; readonly content: string | readonly MessagePart[] }
  | (MessageEvent['llm_message'] & { readonly content: readonly ContentPart[] });

const EXPECTED = "a text, a list of parts such as { type: 'text', text }, or { role: 'user', content }";

/**
 * Returns the parts of a user's message, as they are stored. Throws `INVALID_INPUT` that names the problem: another role, an
 * empty text, no parts, or a part that is neither text nor image.
 */
export function messageParts(message: MessageInput): readonly ContentPart[] {
  const content = contentOf(message);
  if (typeof content === 'string') {
    if (content.trim() === '') throw invalidOption('sendMessage: expected a text that is not blank');
    return [textContent(content)];
  }
  return content.map((part, index) => toPart(part, `sendMessage: content[${index}]`));
}

function contentOf(message: MessageInput): string | readonly MessagePart[] {
  if (typeof message === 'string' || Array.isArray(message)) return message as string | readonly MessagePart[];
  if (typeof message !== 'object' || message === null || !('role' in message))
    throw wrongOption('sendMessage', EXPECTED, message);
  const { role, content } = message as { readonly role?: unknown; readonly content?: string | readonly MessagePart[] };
  if (role !== 'user')
    throw invalidOption(
      `sendMessage: role: expected "user", because the agent's messages are its own, found ${JSON.stringify(role)}`,
    );
  if (typeof content === 'string' || Array.isArray(content)) return content;
  throw wrongOption('sendMessage: content', "a text, or a list of parts such as { type: 'text', text }", content);
}

function toPart(part: unknown, place: string): ContentPart {
  if (typeof part === 'string') return textContent(part);
  const { type, text, image_urls: urls, image_url: url } = isObject(part) ? part : {};
  if (typeof text === 'string' && (type === undefined || type === 'text')) return part as ContentPart;
  if (Array.isArray(urls) && urls.every((each) => typeof each === 'string') && (type === undefined || type === 'image'))
    return part as ContentPart;
  const address = isObject(url) ? url['url'] : url;
  if (type === 'image_url' && typeof address === 'string') return imageContent(address);
  const kind = typeof type === 'string' ? ` of type ${JSON.stringify(type)}` : '';
  throw invalidOption(
    `${wrongValue(place, "{ type: 'text', text }, { type: 'image', image_urls } or { type: 'image_url', image_url }", part)}${kind}`,
  );
}
