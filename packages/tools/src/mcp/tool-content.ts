import { isDeepStrictEqual } from 'node:util';

import { text } from '@conv/core/tool';
import type { ContentPart } from '@conv/core/events';
import type { CallToolResult, ContentBlock, EmbeddedResource } from '@modelcontextprotocol/client';

import { imageType } from '../file-editor/image-type.ts';

/** Returns a server's result for the model: masked texts, images as data URLs, and a description of everything else. */
export function toolContent(result: CallToolResult, mask: (text: string) => string): readonly ContentPart[] {
  const parts = result.content.flatMap(toParts);
  const structured = structuredText(result);
  if (structured !== undefined) parts.push(...text(structured));
  return parts.map((part) => ('text' in part ? { ...part, text: mask(part.text) } : part));
}

function toParts(block: ContentBlock): readonly ContentPart[] {
  switch (block.type) {
    case 'text':
      return text(block.text);
    case 'image':
      return binary(block.data, block.mimeType, 'image');
    case 'audio':
      return binary(block.data, block.mimeType, 'audio');
    case 'resource':
      return resource(block);
    case 'resource_link': {
      const { uri, name, mimeType, description } = block;
      const about = [mimeType && `(${mimeType})`, description].filter(Boolean).join(' ');
      return text(`[Resource ${name}: ${uri}${about && ` ${about}`}]`);
    }
  }
}

function resource({ resource }: EmbeddedResource): readonly ContentPart[] {
  const { uri, mimeType } = resource;
  if ('text' in resource) return text(`[Resource ${uri}${mimeType ? ` (${mimeType})` : ''}]\n${resource.text}`);
  return [...text(`[Resource ${uri}]`), ...binary(resource.blob, mimeType, 'resource')];
}

// the bytes decide the type: providers refuse a request, and thus the conversation, if an image is not of its declared
// type
function binary(base64: string, said: string | undefined, what: string): readonly ContentPart[] {
  const bytes = Buffer.from(base64, 'base64');
  const type = imageType(bytes);
  if (type === undefined)
    return text(`[${what} of type ${said ?? 'unknown'} and ${bytes.length} bytes, which cannot be shown]`);
  return [{ cache_prompt: false, type: 'image', image_urls: [`data:${type};base64,${bytes.toString('base64')}`] }];
}

// servers repeat structured content as text for clients that do not read it, and the model needs it only once
function structuredText({ structuredContent, content }: CallToolResult): string | undefined {
  if (structuredContent === undefined) return undefined;
  const repeated = content.some((block) => block.type === 'text' && isSame(block.text, structuredContent));
  return repeated ? undefined : JSON.stringify(structuredContent, null, 2);
}

function isSame(json: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(json), value);
  } catch {
    return false;
  }
}
