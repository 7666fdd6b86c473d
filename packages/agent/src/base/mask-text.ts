import { SECRET_MASK, truncateMiddle } from '@conv/core';
import type { ToolSession } from '@conv/core/tool';
import { mapTexts } from './json.ts';

/** Removes the values of secrets from a text. Never throws. */
export type MaskText = (text: string) => string;

/** Masks nothing, for conversations without secrets. */
export const maskNothing: MaskText = (text) => text;

/** Returns the masking function of a conversation. A text that cannot be masked is not shown at all (P9). */
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
 * Masks a text and then shortens it with `truncateMiddle`, because half of a secret value would not be recognised. A
 * text within the limit is returned as it is, for the conversation to mask.
 */
export function truncateMasked(text: string, limit: number, mask: MaskText, notice?: string): string {
  return text.length <= limit ? text : truncateMiddle(mask(text), limit, notice);
}

/** Masks the texts of an action or observation and the names of its members; its own kind stays. */
export function maskTexts<T extends { readonly kind: string }>(value: T, mask: MaskText): T {
  if (mask === maskNothing) return value;
  // A masker that fails for every text would leave no member its name, and nothing could be stored.
  const maskName = mask('') === '' ? mask : maskNothing;
  // The type of a content part is structure, not content.
  const isKept = (name: string, item: unknown): boolean => name === 'type' && (item === 'text' || item === 'image');
  return { ...mapTexts(value, mask, maskName, isKept), kind: value.kind };
}
