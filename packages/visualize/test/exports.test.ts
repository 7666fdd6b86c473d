import type { Visualizer } from '@conv/core';
import { expect, test } from 'vitest';
import * as entry from '../src/index.ts';
import * as react from '../src/react/index.ts';
import * as text from '../src/text/index.ts';
import * as timeline from '../src/timeline/index.ts';

test('the public names are these', () => {
  expect(Object.keys(entry).toSorted()).toMatchInlineSnapshot(`
    [
      "TerminalVisualizer",
      "eventTree",
      "exportHtml",
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

test('@conv/visualize/timeline exports these names', () => {
  expect(Object.keys(timeline).toSorted()).toMatchInlineSnapshot(`
    [
      "argumentsIn",
      "branches",
      "fileDiff",
      "ownArguments",
      "timeline",
    ]
  `);
});

test('@conv/visualize/react exports these names', () => {
  expect(Object.keys(react).toSorted()).toMatchInlineSnapshot(`
    [
      "BlockView",
      "CodeText",
      "DiffTable",
      "FoldedText",
      "MarkdownText",
      "TerminalText",
      "TimelineList",
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
