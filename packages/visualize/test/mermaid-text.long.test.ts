import { isCi } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventTree, sequenceDiagram } from '../src/index.ts';
import { mermaidText } from '../src/mermaid/mermaid-text.ts';
import { Log } from './log.ts';
import { diagramType } from './mermaid.ts';

const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const printable = characters.join('');

function spell(text: string): string {
  return text.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

function everywhere(text: string) {
  return new Log()
    .user(text)
    .agent(text)
    .call(text, 'c1', { command: text, kind: 'TerminalAction' })
    .result(text, 'c1', text, { kind: 'X', is_error: true })
    .call(text, 'c2', { text, kind: 'X' })
    .result(text, 'c2', text, { kind: 'X' })
    .call('think', 'c3', { thought: text, kind: 'ThinkAction' })
    .add('UserRejectObservation', 'environment', {
      tool_name: text,
      tool_call_id: 'c2',
      action_id: 'x',
      rejection_reason: text,
    })
    .add('ConversationErrorEvent', 'environment', { code: text, detail: text })
    .add(`x${text}`, 'agent').events;
}

test('no character of a text means anything to Mermaid, and every one is shown', () => {
  expect(spell(mermaidText(printable, 200))).toBe(printable.trim());
  expect(mermaidText('a"b;c#d`e<f>g|h[i]{j}%%')).toBe(
    'a#34;b#59;c#35;d#96;e#60;f#62;g#124;h#91;i#93;#123;j#125;#37;#37;',
  );
  expect(mermaidText('1. one')).toBe('1#46; one');
  expect(mermaidText('- one')).toBe('#45; one');
  expect(mermaidText('two\n  lines \u001b[31mred\u202e')).toBe('two lines red#92;u202e');
  expect(mermaidText('x'.repeat(100))).toHaveLength(60);
});

test("Mermaid's own parser takes whatever text stands in labels, messages and names", async () => {
  const words = [
    'end',
    'style',
    'wrap:',
    'nowrap:',
    'graph',
    'class a b',
    '%%{init: {}}%%',
    '%% x',
    '-->',
    'x'.repeat(99),
  ];
  const texts = [...words, printable, ...characters, '', '日本語', '👨‍👩‍👧', '```', '$$x$$', '---\ntitle: x\n---'];
  for (const text of texts) {
    const events = everywhere(text);
    expect([text, await diagramType(sequenceDiagram(events))]).toEqual([text, 'sequence']);
    expect([text, await diagramType(eventTree(events, { foldFrom: 100 }))]).toEqual([text, 'flowchart-v2']);
  }
});

test("Mermaid's own parser takes any text at all", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 30 }), async (text) => {
      const events = everywhere(text);
      expect(await diagramType(sequenceDiagram(events))).toBe('sequence');
      expect(await diagramType(eventTree(events, { foldFrom: 100 }))).toBe('flowchart-v2');
    }),
    { numRuns: isCi ? 15 : 50 },
  );
});
