import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type ContentPart, contentParts, isText, type Observation, textContent } from '@conv/core/events';
import { truncateMiddle } from '@conv/core';
import { EVENT_BYTES, jsonBytes } from '../calls/event-size.ts';
import type { ToolSession } from '@conv/core/tool';
import { mapTexts, omit } from '../base/json.ts';
import { maskTextOf, maskTexts } from '../base/mask-text.ts';
import { writeSideFile } from '../base/side-file.ts';

/** Maximum bytes of an observation; the rest is reserved for the event around it. */
const LIMIT = EVENT_BYTES - 16 * 1024;

/** Limits for the longest texts, in characters. They are tried in this order until the whole fits. */
const CUTS = [200_000, 100_000, 50_000, 20_000, 5_000, 1_000];

/**
 * Returns the observation if it fits into an event (P12). Otherwise returns it with its long texts cut in the middle
 * and its large images left out, and keeps the whole in a file of the session's side folder, which the text names.
 * Texts are masked before they are cut or kept (P9).
 */
export async function fitObservation(
  made: Observation,
  toolName: string,
  session: Pick<ToolSession, 'secrets' | 'sideDirectory'>,
): Promise<Observation> {
  // Masking makes no text twice as long.
  if (jsonBytes(made) <= LIMIT / 2) return made;
  const observation = maskTexts(made, maskTextOf(session));
  if (jsonBytes(observation) <= LIMIT) return observation;
  const kept = await spill(observation, toolName, session.sideDirectory);
  const notice =
    kept === undefined ? 'Too long: shortened, the rest is lost.' : `Too long: shortened, the whole is in ${kept}`;
  for (const cut of CUTS) {
    const fitting = shorten(observation, cut, notice);
    if (jsonBytes(fitting) <= LIMIT) return fitting;
  }
  const { kind } = observation;
  throw new Error(
    `the result (${kind}) is too large to be stored; ${kept === undefined ? 'ask for less' : `it is in ${kept}`}`,
  );
}

/** Writes an observation that is too long to a file. Resolves with its path; with `undefined` if there is no folder for it. */
async function spill(
  observation: Observation,
  toolName: string,
  folder: string | undefined,
): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  const texts = contentParts(observation)
    .filter(isText)
    .map((part) => part.text);
  const onlyText = jsonBytes(texts) * 2 > jsonBytes(observation);
  const body = onlyText ? texts.join('\n') : JSON.stringify(observation);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const path = join(
    folder,
    `${toolName.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}_output_${hash}.${onlyText ? 'txt' : 'json'}`,
  );
  await writeSideFile(path, body);
  return path;
}

function shorten(observation: Observation, cut: number, notice: string): Observation {
  const shortText = (text: string): string => truncateMiddle(text, cut, `\n[… ${notice} …]\n`);
  return {
    ...observation,
    ...mapTexts(omit(observation, 'content'), shortText),
    content: shortenContent(contentParts(observation), cut, notice),
  };
}

function shortenContent(content: readonly ContentPart[], cut: number, notice: string): ContentPart[] {
  const parts = content.map((part): ContentPart => {
    if (isText(part)) return { ...part, text: truncateMiddle(part.text, cut, `\n[… ${notice} …]\n`) };
    return part.image_urls.every((url) => url.length <= cut) ? part : textContent(`[An image is left out. ${notice}]`);
  });
  // Many small parts are too much as well.
  if (parts.length <= 200) return parts;
  return [...parts.slice(0, 100), textContent(`[… ${notice} …]`), ...parts.slice(-99)];
}
