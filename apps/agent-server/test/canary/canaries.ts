import { Buffer } from 'node:buffer';

/** A trace of a secret: the secret, its form, and the text around it. */
export interface Finding {
  readonly door: string;
  readonly form: string;
  readonly around: string;
}

/** Bytes of what stood around it. */
const AROUND = 40;

/**
 * Secrets by the door through which they are sent in. Each has characters that JSON and addresses write differently, and begins and ends
 * with a text that all of them write alike, so that a part of it is found as well.
 */
export class Canaries {
  readonly #doors = new Set<string>();

  /** The secret for a door; fit for a header. */
  value(door: string): string {
    this.#doors.add(door);
    return `${beginOf(door)}"q\\u0041 &=+%41/${endOf(door)}`;
  }

  /** The number of doors. */
  get size(): number {
    return this.#doors.size;
  }

  /** Every secret, or a part of one, that stands in these bytes. */
  find(bytes: Uint8Array | string): readonly Finding[] {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes);
    return [...this.#doors].flatMap((door) =>
      needlesOf(door).flatMap(([form, needle]) => {
        const at = buffer.indexOf(needle);
        if (at < 0) return [];
        return [{ door, form, around: buffer.toString('latin1', Math.max(0, at - AROUND), at + AROUND) }];
      }),
    );
  }
}

function beginOf(door: string): string {
  return `cnry.${door}.`;
}

function endOf(door: string): string {
  return `.${door}.yrnc`;
}

/** JSON and addresses leave letters, digits and dots as they are; base64 writes them in one of three ways, by where they begin. */
function needlesOf(door: string): readonly (readonly [string, string])[] {
  return [beginOf(door), endOf(door)].flatMap((text) => [
    ['text', text] as const,
    ...[0, 1, 2].map((shift) => ['base64', base64Of(text, shift)] as const),
    ['hex', Buffer.from(text).toString('hex')] as const,
  ]);
}

/** Returns the base64 of the text that is the same in any surroundings, when `shift` bytes of a group of three come before it. */
function base64Of(text: string, shift: number): string {
  const written = Buffer.from(`${'\0'.repeat(shift)}${text}`).toString('base64url');
  const whole = Math.floor((shift + text.length) / 3) * 4;
  return written.slice(shift === 0 ? 0 : 4, whole);
}
