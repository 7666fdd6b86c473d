/** A run of bytes that is looked for. Bytes are kept as the characters U+0000 to U+00FF. */
export interface Needle {
  readonly bytes: string;
  /** The form of the value, such as `JSON twice`. */
  readonly form: string;
  /** The whole value, or eight bytes of it. */
  readonly extent: 'whole' | 'part';
}

const PART = 8;
// The first and last lines of a key file reveal nothing of the key, and are shown beside masked lines.
const ARMOR = /-----(?:BEGIN|END) [A-Z ]*KEY-----/g;

/**
 * Everything by which a value is recognised: the whole of it and every eight bytes of it, each as it is, in JSON (plain and as
 * ASCII, up to three times), in URLs and forms (upper and lower digits, or every byte), in base64 and base64url at the three
 * places in a group of three bytes, and as hexadecimal digits. Characters that JSON or URLs write are not cut: their parts are
 * the shortest runs of characters that have eight bytes. The lines with which key files begin and end do not count as parts.
 */
export function needlesOf(value: string): readonly Needle[] {
  const needles = new Map<string, Needle>();
  const add = (extent: Needle['extent']) => (form: string, bytes: string) => {
    if (bytes.length >= PART && !needles.has(bytes)) needles.set(bytes, { bytes, form, extent });
  };
  // line breaks are left out where they may have been added, and then those of the value are missing too
  const texts = new Set([value, withoutBreaks(value), value.replaceAll('\r\n', '\n')]);
  for (const text of texts) {
    textForms(text, add('whole'));
    byteForms(Buffer.from(text), add('whole'));
  }
  for (const text of texts) {
    for (const part of text.split(ARMOR)) {
      for (const characters of runsOf(part)) textForms(characters, add('part'));
      for (const bytes of windowsOf(Buffer.from(part))) byteForms(bytes, add('part'));
    }
  }
  return [...needles.values()];
}

/** A text without its line breaks, those too that are written as escapes. */
export function withoutBreaks(text: string): string {
  return text.replaceAll(/\\+[rn]|[\r\n]/g, '');
}

type Add = (form: string, bytes: string) => void;

function textForms(text: string, add: Add): void {
  const raw = (form: string, written: string): void => add(form, Buffer.from(written).toString('latin1'));
  raw('raw', text);
  const levels = ['JSON', 'JSON twice', 'JSON three times'];
  for (const escape of [plainJson, asciiJson, upperAsciiJson]) {
    let [everyTime, lastTime] = [text, text];
    for (const level of levels) {
      raw(level, escape(lastTime));
      lastTime = plainJson(lastTime);
      everyTime = escape(everyTime);
      raw(level, everyTime);
    }
  }
  raw('URL', encodeURIComponent(text));
  raw('URL', lowerDigits(encodeURIComponent(text)));
  raw('URL', encodeURI(text));
  raw('form', new URLSearchParams({ '': text }).toString().slice(1));
  raw('form', lowerDigits(new URLSearchParams({ '': text }).toString().slice(1)));
}

function byteForms(bytes: Buffer, add: Add): void {
  add('raw', bytes.toString('latin1'));
  const hex = bytes.toString('hex');
  add('hex', hex);
  add('hex', hex.toUpperCase());
  add('URL, every byte', hex.replaceAll(/../g, '%$&'));
  add('URL, every byte', hex.toUpperCase().replaceAll(/../g, '%$&'));
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // only characters that no neighbour has a part in
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const own = encoded.slice(first, last);
    add(`base64 after ${before}`, own);
    add(`base64url after ${before}`, own.replaceAll('+', '-').replaceAll('/', '_'));
  }
}

function windowsOf(bytes: Buffer): readonly Buffer[] {
  const count = Math.max(0, bytes.length - PART + 1);
  return Array.from({ length: count }, (_, start) => bytes.subarray(start, start + PART));
}

/** From each character on, as many as make eight bytes. */
function runsOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const runs: string[] = [];
  for (let start = 0; start < characters.length; start++) {
    let run = '';
    for (let end = start; end < characters.length && Buffer.byteLength(run) < PART; end++) run += characters[end];
    if (Buffer.byteLength(run) >= PART) runs.push(run);
  }
  return runs;
}

function plainJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asciiJson(text: string): string {
  return plainJson(text).replaceAll(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function upperAsciiJson(text: string): string {
  return asciiJson(text).replaceAll(/\\u[0-9a-f]{4}/g, (escaped) => `\\u${escaped.slice(2).toUpperCase()}`);
}

function lowerDigits(encoded: string): string {
  return encoded.replaceAll(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
}
