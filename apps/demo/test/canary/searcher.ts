import type { Canary } from './canaries.ts';
import { needlesOf, withoutBreaks, type Needle } from './needles.ts';

/** A trace of a secret. */
export interface Finding {
  readonly id: string;
  readonly form: string;
  readonly extent: Needle['extent'];
  /** The position at which it begins in the searched bytes. */
  readonly at: number;
  /** The bytes around it. */
  readonly around: string;
}

interface Sought extends Needle {
  /** The secrets that it may be of, each with what one finding of it is kept under. */
  readonly keys: readonly (readonly [string, string])[];
}

const KEY = 8;
const BITS = 22;

/** Looks for many secrets in bytes, in all their forms, in one pass for as many needles as there are. */
export class Searcher {
  /** By their first eight bytes, the longest first. */
  readonly #needles = new Map<string, Sought[]>();
  readonly #filter = new Uint8Array(1 << (BITS - 3));

  /** Looks for parts too unless only whole values are wanted. */
  constructor(secrets: readonly Canary[], extents: readonly Needle['extent'][] = ['whole', 'part']) {
    const sought = new Map<string, Sought>();
    for (const { id, value } of secrets) {
      for (const needle of needlesOf(value).filter(({ extent }) => extents.includes(extent))) {
        const known = sought.get(needle.bytes);
        const { form, extent } = known ?? needle;
        const key = `${id} ${form} ${extent}`;
        sought.set(needle.bytes, { ...needle, form, extent, keys: [...(known?.keys ?? []), [id, key]] });
      }
    }
    for (const needle of sought.values()) this.#add(needle);
    for (const needles of this.#needles.values()) needles.sort((one, other) => other.bytes.length - one.bytes.length);
  }

  /**
   * Returns the findings in the bytes, and in the bytes without line breaks, literal or escaped: a finding for each secret, form
   * and extent. Of values that begin alike, only the longest whole value is reported as whole.
   */
  search(bytes: Buffer): readonly Finding[] {
    const found = new Map<string, Finding>();
    this.#scan(bytes, found);
    const joined = withoutBreaks(bytes.toString('latin1'));
    if (joined.length < bytes.length) this.#scan(Buffer.from(joined, 'latin1'), found);
    return [...found.values()];
  }

  #add(needle: Sought): void {
    const key = needle.bytes.slice(0, KEY);
    const bytes = Buffer.from(key, 'latin1');
    const place = placeOf(bytes.readUInt32LE(0), bytes.readUInt32LE(4));
    this.#filter[place >>> 3]! |= 1 << (place & 7);
    const known = this.#needles.get(key);
    if (known) known.push(needle);
    else this.#needles.set(key, [needle]);
  }

  #scan(bytes: Buffer, found: Map<string, Finding>): void {
    if (bytes.length < KEY) return;
    let first = bytes.readUInt32LE(0);
    let second = bytes.readUInt32LE(4);
    for (let at = 0; ; at++) {
      const place = placeOf(first, second);
      if ((this.#filter[place >>> 3]! & (1 << (place & 7))) !== 0) this.#match(bytes, at, found);
      if (at + KEY >= bytes.length) return;
      first = (first >>> 8) | (second << 24);
      second = (second >>> 8) | (bytes[at + KEY]! << 24);
    }
  }

  #match(bytes: Buffer, at: number, found: Map<string, Finding>): void {
    let wholeFound = false;
    for (const needle of this.#needles.get(textAt(bytes, at, KEY)) ?? []) {
      const { length } = needle.bytes;
      if (needle.extent === 'whole' && wholeFound) continue;
      if (length > KEY && textAt(bytes, at, length) !== needle.bytes) continue;
      wholeFound ||= needle.extent === 'whole';
      const { form, extent } = needle;
      for (const [id, key] of needle.keys) {
        if (!found.has(key)) found.set(key, { id, form, extent, at, around: around(bytes, at, length) });
      }
    }
  }
}

function placeOf(first: number, second: number): number {
  const hash = Math.imul(Math.imul(first, 0x9e37_79b1) ^ second, 0x85eb_ca6b);
  return (hash ^ (hash >>> 15)) >>> (32 - BITS);
}

function around(bytes: Buffer, at: number, length: number): string {
  const before = Math.min(at, 100);
  return textAt(bytes, at - before, before + length + 20);
}

function textAt(bytes: Buffer, start: number, length: number): string {
  return bytes.toString('latin1', start, Math.min(bytes.length, start + length));
}
