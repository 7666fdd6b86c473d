import { SECRET_MASK } from '@conv/core';

import type { Environment } from '../configuration/environment.ts';

/** Variables with headers for the collectors of traces, metrics and logs. Their values are keys as a rule. */
const HEADERS = /^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/;

/** Characters of a header that are no key. */
const SHORTEST = 8;

/** Names of headers whose values are always keys. */
const SAYS_KEY = /auth|key|token|secret|passw|credential|team/i;
/** Values such as `production` or `blue-team`: masking them wherever they stand would destroy ordinary text. */
const PLAIN = /^(?:[\d.,:]+|(?=.{1,19}$)[a-z]+(?:[-_./ ][a-z]+)*)$/i;

/** Returns the values of all headers that go to collectors, encoded, decoded and without their scheme; the longest first. */
export function headerValues(environment: Environment): readonly string[] {
  return valuesOf(headersOf(environment));
}

/** Returns the keys in the headers that go to collectors. No conversation may show them. */
export function collectorKeys(environment: Environment): readonly string[] {
  return valuesOf(headersOf(environment).filter(({ name, value }) => SAYS_KEY.test(name) || !PLAIN.test(value)));
}

/** Takes these values out of a text. */
export function hiding(values: readonly string[]): (text: string) => string {
  return (text) => values.reduce((safe, value) => safe.replaceAll(value, SECRET_MASK), text);
}

interface Header {
  readonly name: string;
  readonly value: string;
}

function headersOf(environment: Environment): readonly Header[] {
  const lists = Object.entries(environment).filter(([name]) => HEADERS.test(name));
  return lists.flatMap(([, list = '']) =>
    list.split(',').map((header) => {
      const end = header.indexOf('=');
      return { name: header.slice(0, Math.max(end, 0)), value: header.slice(end + 1).trim() };
    }),
  );
}

function valuesOf(headers: readonly Header[]): readonly string[] {
  const values = headers.flatMap(({ value }) =>
    [value, decoded(value)].flatMap((text) => [text, text.replace(/^\w+\s+/, '')]),
  );
  return [...new Set(values)].filter((value) => value.length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
