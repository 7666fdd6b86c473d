import { gzipSync } from 'node:zlib';

import { describe, expect, test } from 'vitest';

import { canaries, canaryValues } from './canaries.ts';
import { Searcher } from './searcher.ts';

const searcher = new Searcher(canaries);

function idsIn(text: string | Buffer, extent?: 'whole' | 'part'): readonly string[] {
  const findings = searcher.search(Buffer.from(text as string));
  return [...new Set(findings.filter((finding) => !extent || finding.extent === extent).map(({ id }) => id))];
}

const json = (text: string): string => JSON.stringify(text);
const ascii = (text: string): string =>
  json(text).replaceAll(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const writers: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'in JSON': json,
  'in JSON in JSON': (value) => json(json(value)),
  'in JSON in JSON in JSON': (value) => json(json(json(value))),
  'in ASCII JSON': ascii,
  'in ASCII JSON in JSON': (value) => json(ascii(value)),
  'in a URL': encodeURIComponent,
  'in a URL with lower digits': (value) => encodeURIComponent(value).replaceAll(/%../g, (byte) => byte.toLowerCase()),
  'in a form': (value) => new URLSearchParams({ a: value }).toString(),
  'in base64': base64,
  'in base64 after one byte': (value) => base64(`x${value}y`),
  'in base64 after two bytes': (value) => base64(`xx${value}yy`),
  'in base64url': (value) => Buffer.from(`x${value}`).toString('base64url'),
  'in wrapped base64': (value) => base64(`x${value}`).replaceAll(/.{20}/g, '$&\n'),
  'in wrapped base64 in JSON': (value) => json(base64(`x${value}`).replaceAll(/.{20}/g, '$&\r\n')),
  'in hexadecimal digits': (value) => Buffer.from(value).toString('hex'),
  'in wrapped lines': (value) => value.replaceAll(/[^]{5}[^\\]/gu, '$&\n'),
};

describe.each(Object.entries(writers))('%s', (_, write) => {
  test.each(canaries)('the searcher finds $id, whole and by name', ({ id, value }) => {
    const found = idsIn(`before ${write(value)} after`, 'whole');
    expect(found).toContain(id);
    // without its edges a value may be no longer than another value that begins like it
    expect(found.filter((other) => !value.startsWith(canaryValues[other] ?? ''))).toEqual([]);
  });

  test.each(canaries)('the searcher finds a few bytes of the middle of $id', ({ id, value }) => {
    const characters = Array.from(value);
    const middle = Math.floor(characters.length / 2);
    // two more than eight: line breaks of the value do not count where others were added
    const part = characters.slice(middle - 5, middle + 5).join('');
    expect(idsIn(`before ${write(part)} after`)).toContain(id);
  });
});

test('the searcher finds every eight bytes of every value, of key files between their outer lines', () => {
  for (const { id, value } of canaries) {
    for (const between of value.split(/-----(?:BEGIN|END) [A-Z]* ?KEY-----/)) {
      const bytes = Buffer.from(between);
      for (let start = 0; start + 8 <= bytes.length; start++) {
        const part = bytes.subarray(start, start + 8);
        expect(idsIn(Buffer.concat([Buffer.from('\0'), part, Buffer.from('\0')]))).toContain(id);
      }
    }
  }
});

test('a value that begins as another one is found by its own name, and the other one is not', () => {
  expect(idsIn(canaryValues['prefix-long'] ?? '', 'whole')).toEqual(['prefix-long']);
  expect(idsIn(canaryValues['prefix-short'] ?? '', 'whole')).toEqual(['prefix-short']);
});

test('nothing is found in seven bytes, in other text, and in a key file of which only the frame is left', () => {
  for (const { value } of canaries) expect(idsIn(Buffer.from(value).subarray(0, 7))).toEqual([]);
  expect(idsIn(gzipSync(Buffer.alloc(100_000, 'other text '))).length).toBe(0);
  expect(idsIn('-----BEGIN PRIVATE KEY-----\n<secret-hidden>\n-----END PRIVATE KEY-----\n')).toEqual([]);
});
