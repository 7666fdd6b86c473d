import type { Visualizer } from '@conv/core';
import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';
import * as text from '../src/text/index.ts';

test('the public names are these', () => {
  expect(Object.keys(entry).toSorted()).toMatchInlineSnapshot(`
    [
      "TerminalVisualizer",
      "eventTree",
      "sequenceDiagram",
    ]
  `);
});

test('@conv/visualize/text exports these names', () => {
  expect(Object.keys(text).toSorted()).toMatchInlineSnapshot(`
    [
      "plainJson",
      "plainLine",
      "plainText",
      "visibleText",
    ]
  `);
});

test('a conversation takes the class or an instance', () => {
  const inputs: readonly (Visualizer | (new () => Visualizer) | null)[] = [
    entry.TerminalVisualizer,
    new entry.TerminalVisualizer(),
  ];
  expect(inputs).toHaveLength(2);
});
