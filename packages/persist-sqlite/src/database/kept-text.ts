import { crc32 } from 'node:zlib';

/** The same as `keptText` of core, without loading core into every thread. */
export function keptText(seq: number, settings: string): string {
  const text = `${seq} ${settings}`;
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}`;
}

/** True if a text is what {@link keptText} made. */
export function isKept(text: string): boolean {
  const check = crc32(text.slice(9)).toString(16).padStart(8, '0');
  return text.startsWith(`${check} `);
}
