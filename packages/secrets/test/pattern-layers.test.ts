import { randomBytes } from 'node:crypto';
import { SECRET_MASK } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { MaskingStream } from '../src/masking/masking-stream.ts';
import { PatternLayers } from '../src/masking/pattern-layers.ts';
import { PatternSet } from '../src/masking/pattern-set.ts';
import { PatternTree } from '../src/masking/pattern-tree.ts';

/** Layers that tell how many units were put into each tree. */
function counted(): { layers: PatternLayers; trees: number[] } {
  const trees: number[] = [];
  const layers = new PatternLayers((sorted) => {
    trees.push(unitsOf(sorted));
    return new PatternTree(sorted);
  });
  return { layers, trees };
}

function setOf(...values: readonly string[]): PatternSet {
  const set = new PatternSet();
  for (const value of values) set.add(value);
  return set;
}

function unitsOf(patterns: Iterable<string>): number {
  return [...patterns].reduce((sum, pattern) => sum + pattern.length, 0);
}

function tokens(count: number, bytes: number): readonly string[] {
  return Array.from({ length: count }, () => randomBytes(bytes).toString('hex'));
}

describe('P12: learning one more value costs the same however many are known', () => {
  test('P12: one more value costs the same in all trees, however many are known', () => {
    const { layers, trees } = counted();
    const work: number[] = [];
    let given = 0;
    for (const token of tokens(1024, 8)) {
      const set = setOf(token);
      given += unitsOf(set.patterns);
      layers.with(set);
      work.push(trees.reduce((sum, units) => sum + units, 0));
    }
    // Once alone, and once for each time that its tree doubles.
    expect(work.at(-1)).toBeLessThan(given * 12);
    const [half = 0, all = 0] = [work[511], work[1023]];
    expect(all - half).toBeLessThan(half * 1.5);
  });

  test('P12: one more value costs the same in one tree, however many are known', () => {
    const { layers, trees } = counted();
    for (const token of tokens(200, 256)) layers.with(setOf(token));
    expect(Math.max(...trees)).toBeLessThanOrEqual(1 << 19);
    expect(Math.max(...trees)).toBeGreaterThan(1 << 18);
  });

  test('P12: one more value costs the same even after many that came at once', () => {
    const { layers, trees } = counted();
    layers.with(setOf(...tokens(1000, 8)));
    const one = setOf(...tokens(1, 8));
    layers.with(one);
    expect(trees.at(-1)).toBe(unitsOf(one.patterns));
  });
});

test('P12: a value of 60 KB puts at most fifty times its size into trees, whatever is in it', () => {
  const key = Array.from({ length: 920 }, () => `${randomBytes(48).toString('base64')}\n`);
  const settings = Array.from({ length: 1500 }, (_, index) => `NAME${index}="välue 'no. ${index * 7919}' + more"\n`);
  for (const value of [randomBytes(30_000).toString('hex'), key.join(''), settings.join('')]) {
    expect(unitsOf(setOf(value).patterns)).toBeLessThan(50 * value.length);
  }
});

test('P9: values of many trees are found as one text goes by', () => {
  const { layers, trees } = counted();
  const values = tokens(40, 8);
  const automata = values.map((value) => layers.with(setOf(value)));
  expect(trees).toHaveLength(40);
  const text = values.join(' ');
  for (const [index, automaton] of automata.entries()) {
    const stream = new MaskingStream(() => automaton);
    const masked = [SECRET_MASK, ...values.slice(1)].map((value, at) => (at <= index ? SECRET_MASK : value)).join(' ');
    expect(stream.write(text) + stream.end()).toBe(masked);
  }
});
