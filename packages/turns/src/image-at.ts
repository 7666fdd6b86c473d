import { imageContent } from '@conv/core/events';

const URL_OF_IMAGE = /^(?:https?:|data:image\/)/i;

/** An image that its URL holds. */
export interface ImageData {
  readonly mimeType: string;
  /** In base64. */
  readonly data: string;
}

/** Returns an image as content of a message; `undefined` unless it has a URL of `http:`, `https:` or `data:image/`. */
export function imageAt(url: unknown): ReturnType<typeof imageContent> | undefined {
  return typeof url === 'string' && URL_OF_IMAGE.test(url) ? imageContent(url) : undefined;
}

/** Returns the image that a URL of `data:` holds; `undefined` for any other URL, and for data that is not in base64. */
export function imageData(url: string): ImageData | undefined {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mimeType === undefined || data === undefined ? undefined : { mimeType, data };
}
