import { crc32 } from 'node:zlib';

/** Does the same as `keptText` of store-kit, without loading that package into every thread. */
export function keptText(seq: number, settings: string): string {
  const text = `${seq} ${settings}`;
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}`;
}

/** True if a text is an undamaged result of {@link keptText}. */
export function isKept(text: string): boolean {
  const check = crc32(text.slice(9)).toString(16).padStart(8, '0');
  return text.startsWith(`${check} `);
}
