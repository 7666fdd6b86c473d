import { createHash } from 'node:crypto';

import { SECRET_MASK } from '@conv/core';
import { createMasker } from '@conv/secrets';

import { median, time, type Figure } from '../figure.ts';

const SECRETS = 100;
/** Characters of one text: a long output of a tool. */
const TEXT = 1 << 18;

/** Masking of long outputs with 100 secrets, beside a loop that replaces each form of each of them. */
export async function masking(rounds: number): Promise<readonly Figure[]> {
  const values = Array.from({ length: SECRETS }, (_, at) => secretOf(at));
  // a loop has to take the longest first, or it leaves the ends of values that begin like others
  const forms = values.flatMap(plainForms).toSorted((one, other) => other.length - one.length);
  const texts = [logOf(values), jsonOf(values), codeOf(values)];
  const masker = createMasker(values);
  const replaceAll = (text: string): string => forms.reduce((rest, form) => rest.replaceAll(form, SECRET_MASK), text);
  for (const text of texts) if (masker.mask(text) !== replaceAll(text)) throw new Error('the two do not mask the same');
  const [ours, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    plain.push(await time(() => texts.forEach(replaceAll)));
    ours.push(await time(() => texts.forEach((text) => masker.mask(text))));
  }
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const speed = (milliseconds: readonly number[]): number => characters / 1e6 / (median(milliseconds) / 1000);
  const [value, baseline] = [speed(ours), speed(plain)];
  return [
    {
      name: `mask.throughput.${SECRETS}`,
      value,
      unit: 'MB/s',
      baseline,
      ratio: value / baseline,
      target: { of: 'ratio', is: 'at least', limit: 5 },
    },
    {
      name: `mask.speed.${SECRETS}`,
      value,
      unit: 'MB/s',
      baseline: null,
      ratio: null,
      target: { of: 'value', is: 'at least', limit: 100 },
    },
  ];
}

/** Long and short ones, and some that begin like others. */
function secretOf(at: number): string {
  const random = createHash('sha256')
    .update(`secret ${at >> 1}`)
    .digest('base64url');
  return at % 2 === 0 ? `sk-${random.slice(0, 20)}` : `sk-${random}/"${at}"`;
}

/** Returns the obvious forms of a value. */
function plainForms(value: string): readonly string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.from(' '.repeat(offset) + value).toString('base64');
    return text.slice([0, 2, 3][offset], -4);
  });
  return [...new Set([JSON.stringify(value).slice(1, -1), encodeURIComponent(value), value, ...base64])];
}

function logOf(values: readonly string[]): string {
  return repeat(
    (line) => `2026-03-01T10:00:${line % 60}.123Z INFO worker-${line % 8} GET /v1/items/${line} 200 ${line * 7} ms`,
    values,
  );
}

function jsonOf(values: readonly string[]): string {
  return repeat(
    (line) => JSON.stringify({ id: `item-${line}`, size: line * 31, tags: ['alpha', 'beta'], note: 'nothing to see' }),
    values,
  );
}

function codeOf(values: readonly string[]): string {
  return repeat(
    (line) => `  const total${line} = items.filter((item) => item.price > ${line}).reduce(sum, 0); // line ${line}`,
    values,
  );
}

/** Lines, and a secret in every few hundredth. */
function repeat(lineOf: (line: number) => string, values: readonly string[]): string {
  const lines: string[] = [];
  for (let [line, length] = [0, 0]; length < TEXT; line++) {
    const text = line % 300 === 299 ? `token ${values[((line / 300) % values.length) | 0] ?? ''} used` : lineOf(line);
    lines.push(text);
    length += text.length + 1;
  }
  return lines.join('\n');
}
