import type {
  LanguageModelV4FilePart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { type ContentPart, isText } from '@conv/core/events';
import { truncateMiddle } from '@conv/core';
import type { PromptTarget } from './prompt-target.ts';

/** A part of a user's message. */
export type PromptPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** Maximum characters of one text of a tool's result in a prompt. */
export const MAX_TOOL_TEXT = 50_000;

/** Returns parts of text and images; leaves out blank texts. */
export function toParts(
  content: readonly ContentPart[],
  { vision = true }: Pick<PromptTarget, 'vision'>,
): PromptPart[] {
  return content.flatMap((part): PromptPart[] => {
    if (isText(part)) return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    return part.image_urls.map((url) =>
      vision ? imagePart(url) : { type: 'text', text: '[an image that you cannot see]' },
    );
  });
}

/** Returns the output of a tool, and the images that another message must carry. */
export function toolOutput(
  content: readonly ContentPart[],
  target: PromptTarget,
): { readonly output: LanguageModelV4ToolResultOutput; readonly images: PromptPart[] } {
  const parts = toParts(content, target).map((part) =>
    part.type === 'text' ? { ...part, text: truncateMiddle(part.text, MAX_TOOL_TEXT) } : part,
  );
  const images = parts.filter((part) => part.type === 'file');
  if (images.length > 0 && target.api !== 'chat') return { output: { type: 'content', value: parts }, images: [] };
  const texts = parts.filter((part) => part.type === 'text').map((part) => part.text);
  if (images.length > 0) texts.push(`[${images.length} image(s), shown below]`);
  return { output: { type: 'text', value: texts.length === 0 ? '(no output)' : texts.join('\n') }, images };
}

function imagePart(url: string): PromptPart {
  const data = /^data:([^;,]*)(?:;[^,]*?)?;base64,(.*)$/s.exec(url);
  if (data?.[2] !== undefined) {
    return { type: 'file', mediaType: data[1] || 'image/png', data: { type: 'data', data: data[2] } };
  }
  if (!URL.canParse(url)) return { type: 'text', text: '[an image whose address cannot be read]' };
  const location = new URL(url);
  return { type: 'file', mediaType: mediaTypeOf(location), data: { type: 'url', url: location } };
}

function mediaTypeOf({ pathname }: URL): string {
  const extension = /\.(png|jpe?g|gif|webp)$/i.exec(pathname)?.[1]?.toLowerCase();
  // Gemini needs the media type; the other providers detect it.
  return extension === undefined ? 'image/*' : `image/${extension === 'jpg' ? 'jpeg' : extension}`;
}
