import { imageContent } from '@conv/core/events';

const URL_OF_IMAGE = /^(?:https?:|data:image\/)/i;

/** Returns an image as content of a message; `undefined` unless it has a URL of `http:`, `https:` or `data:image/`. */
export function imageAt(url: unknown): ReturnType<typeof imageContent> | undefined {
  return typeof url === 'string' && URL_OF_IMAGE.test(url) ? imageContent(url) : undefined;
}
