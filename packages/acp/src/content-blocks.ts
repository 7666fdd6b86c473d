import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk';
import type { MessagePart } from '@conv/core';
import { imageContent, isText, type ContentPart } from '@conv/core/events';
import { imageData } from '@conv/turns';

/**
 * Returns the parts of a prompt as they are stored: text, images, and links and files as text. Throws the protocol's `invalid params` for
 * content that a message cannot hold.
 */
export function promptParts(prompt: readonly ContentBlock[]): readonly MessagePart[] {
  const parts = prompt.map(partOf);
  if (parts.length > 0) return parts;
  throw RequestError.invalidParams({}, 'prompt: expected at least one block of content, found none');
}

function partOf(block: ContentBlock): MessagePart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return imageContent(`data:${block.mimeType};base64,${block.data}`);
    case 'resource_link':
      return { type: 'text', text: `[${block.title ?? block.name}](${block.uri})` };
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { type: 'text', text: `${resource.uri}:\n\n${fenced(resource.text)}` };
      if (resource.mimeType?.startsWith('image/'))
        return imageContent(`data:${resource.mimeType};base64,${resource.blob}`);
      throw unsupported(`a resource of type ${resource.mimeType ?? 'unknown'} (${resource.uri})`);
    }
    case 'audio':
      throw unsupported('content of type audio');
  }
}

/** Returns text in a fence that is longer than each fence in it. */
export function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

function unsupported(found: string): RequestError {
  return RequestError.invalidParams(
    {},
    `prompt: expected text, images, links and embedded text, found ${found}; nothing was sent`,
  );
}

/** Returns content of the log as an editor shows it: text, images, and links for images at other places. */
export function blocksOf(content: readonly ContentPart[]): readonly ContentBlock[] {
  return content.flatMap((part) => (isText(part) ? [textBlock(part.text)] : part.image_urls.map(imageBlock)));
}

/** Returns text as a block. */
export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

function imageBlock(url: string): ContentBlock {
  const image = imageData(url);
  return image ? { type: 'image', ...image } : { type: 'resource_link', name: 'image', uri: url };
}
