import { crc32 } from './crc32.ts';

/** Returns the check value of a content: eight hex digits. */
export function checkValue(content: string | Uint8Array): string {
  return crc32(content).toString(16).padStart(8, '0');
}

/** Returns a text with its check value and a space in front. */
export function checkedText(text: string): string {
  return `${checkValue(text)} ${text}`;
}

/** Returns the text in the result of {@link checkedText}; `undefined` if it is damaged. */
export function textIn(checked: string): string | undefined {
  const text = checked.slice(9);
  return Number.parseInt(checked.slice(0, 8), 16) === crc32(text) ? text : undefined;
}
