import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type ContentPart, isText, textContent } from '@conv/core/events';
import { writeSideFile } from '../base/side-file.ts';

/** The most characters of images in one event; the rest of an event's megabyte is for the text beside them. */
const ROOM = 512 * 1024;

/**
 * Returns the content of a model's message with the images that an event can carry (P12). Other images become files in
 * `folder`, and a text names them. Without a folder they are lost, and a text says so. `room` is the number of
 * characters of images that stay.
 */
export async function keptImages(
  content: readonly ContentPart[],
  folder: string | undefined,
  room: number = ROOM,
): Promise<readonly ContentPart[]> {
  let left = room;
  const kept: ContentPart[] = [];
  for (const part of content) {
    const size = isText(part) ? 0 : part.image_urls.reduce((sum, url) => sum + url.length, 0);
    if (size <= left && (isText(part) || room > 0)) {
      left -= size;
      kept.push(part);
    } else if (!isText(part)) for (const url of part.image_urls) kept.push(textContent(await laidAside(url, folder)));
  }
  return kept;
}

async function laidAside(url: string, folder: string | undefined): Promise<string> {
  const data = /^data:image\/([\w.+-]+);base64,(.*)$/s.exec(url);
  if (data?.[1] === undefined || data[2] === undefined) return `[An image: ${url.slice(0, 2000)}]`;
  if (folder === undefined) return '[An image that is too large to be stored]';
  const bytes = Buffer.from(data[2], 'base64');
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const path = join(folder, `image_${hash}.${data[1] === 'jpeg' ? 'jpg' : data[1].replaceAll(/[^a-z0-9]/g, '_')}`);
  await writeSideFile(path, bytes);
  return `[An image: ${path}]`;
}
