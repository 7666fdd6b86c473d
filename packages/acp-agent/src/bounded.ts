import { SECRET_MASK, truncateMiddle } from '@conv/core';
import type { Json } from '@conv/core/events';
import type { ToolSession } from '@conv/core/tool';

/** Removes the values of secrets from a text. */
export type MaskText = (text: string) => string;

/** Maximum characters of a text of a program in an event, and of each value of its tool calls as JSON. */
const LONGEST = 100_000;

/** Returns the masking function of a conversation. A text that cannot be masked is not shown at all (P9). */
export function maskOf({ secrets }: Pick<ToolSession, 'secrets'>): MaskText {
  return (text) => {
    try {
      return secrets?.masker.mask(text) ?? text;
    } catch {
      return SECRET_MASK;
    }
  };
}

/** Returns a text that an event can hold. It is masked before its middle is left out, because half of a value is not recognised. */
export function boundedText(text: string, mask: MaskText): string {
  const whole = text.toWellFormed();
  return whole.length <= LONGEST ? whole : truncateMiddle(mask(whole), LONGEST);
}

/** Returns a value that an event can hold. A value that is too large becomes its JSON text without the middle. */
export function boundedJson(value: unknown, mask: MaskText): Json {
  if (typeof value === 'string') return boundedText(value, mask);
  const whole = JSON.stringify(value ?? null, (_, item: unknown) =>
    typeof item === 'string' ? item.toWellFormed() : item,
  );
  return whole.length <= LONGEST ? (JSON.parse(whole) as Json) : boundedText(whole, mask);
}
