import { type ContentPart, isText } from '@conv/core/events';

/** Most characters of new text in a message that is kept beside its event (decision 175). */
export const MOST_NEW_CHARACTERS = 1000;

/** Returns the characters of all texts and addresses of images. */
export function charactersOf(parts: readonly ContentPart[]): number {
  let characters = 0;
  for (const part of parts)
    characters += isText(part) ? part.text.length : part.image_urls.reduce((sum, url) => sum + url.length, 0);
  return characters;
}
