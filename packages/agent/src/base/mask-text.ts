import { SECRET_MASK } from '@conv/core';
import { truncateMiddle } from '@conv/core/messages';
import type { ToolSession } from '@conv/core/tool';
import { isObject } from './json.ts';

/** Takes the values of secrets out of a text. Never throws. */
export type MaskText = (text: string) => string;

/** For conversations without secrets. */
export const maskNothing: MaskText = (text) => text;

/** The masking of a conversation. A text that cannot be masked is not shown at all (P9). */
export function maskTextOf({ secrets }: Pick<ToolSession, 'secrets'>): MaskText {
  if (secrets === undefined) return maskNothing;
  return (text) => {
    try {
      return secrets.masker.mask(text);
    } catch {
      return SECRET_MASK;
    }
  };
}

/**
 * `truncateMiddle` of what is masked already: of a value that the cut goes through nobody would recognise the halves. What
 * is not cut is left for the conversation to mask.
 */
export function truncateMasked(text: string, limit: number, mask: MaskText, notice?: string): string {
  return text.length <= limit ? text : truncateMiddle(mask(text), limit, notice);
}

/** An action or observation with its texts and the names of its members masked; its own kind stays. */
export function maskTexts<T extends { readonly kind: string }>(value: T, mask: MaskText): T {
  if (mask === maskNothing) return value;
  // A masker that fails at everything would leave no member by its name, and nothing could be stored.
  const maskName = mask('') === '' ? mask : maskNothing;
  return { ...(masked(value, mask, maskName) as T), kind: value.kind };
}

function masked(value: unknown, mask: MaskText, maskName: MaskText): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, mask, maskName));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      maskName(name),
      // What kind of content a part is, is no content.
      name === 'type' && (item === 'text' || item === 'image') ? item : masked(item, mask, maskName),
    ]),
  );
}
