import { expect, test } from 'vitest';
import { imageContent, type Observation, textContent } from '@conv/core/events';
import { observationContent } from '../../src/messages/index.ts';

const ERROR = textContent('[An error occurred during execution.]\n');

test('content of an unknown kind is shown as it is, after the error header when it failed', () => {
  const content = [textContent('a'), imageContent('https://example.invalid/a.png')];
  expect(observationContent({ kind: 'LaterObservation', content })).toEqual(content);
  expect(observationContent({ kind: 'LaterObservation', content, is_error: true })).toEqual([ERROR, ...content]);
});

test('a command shows where it ran and how it ended', () => {
  const seen: Observation = {
    content: [textContent('a'), textContent('b')],
    command: 'ls',
    metadata: { exit_code: 0, working_dir: '/w', py_interpreter_path: '/py', prefix: '<', suffix: '>' },
    kind: 'TerminalObservation',
  };
  expect(observationContent(seen)).toEqual([
    textContent(
      '<ab>\n[Current working directory: /w]\n[Python interpreter: /py]\n[Command finished with exit code 0]',
    ),
  ]);
});

test('a command that still runs has no exit code to show', () => {
  const seen: Observation = {
    content: [textContent('a')],
    command: 'x',
    metadata: { exit_code: -1 },
    kind: 'TerminalObservation',
  };
  expect(observationContent(seen)).toEqual([textContent('a')]);
});

test('the output of a command is cut at 30,000 characters', () => {
  const seen: Observation = { content: [textContent('a'.repeat(40_000))], command: 'x', kind: 'TerminalObservation' };
  const [part] = observationContent(seen);
  expect(part).toHaveProperty('text.length', 30_000);
  expect(part).toHaveProperty('text', expect.stringContaining('text left out here'));
});

test.each([
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/4AAQ', 'image/jpeg'],
  ['R0lGODlh', 'image/gif'],
  ['UklGRiQA', 'image/webp'],
])('a screenshot that begins with %s is shown as %s', (base64, type) => {
  const seen: Observation = { content: [textContent('page')], screenshot_data: base64, kind: 'BrowserObservation' };
  expect(observationContent(seen)).toEqual([textContent('page'), imageContent(`data:${type};base64,${base64}`)]);
});

test('the text of a page is cut at 50,000 characters', () => {
  const seen: Observation = { content: [textContent('a'.repeat(60_000))], kind: 'BrowserObservation' };
  expect(observationContent(seen)[0]).toHaveProperty('text.length', 50_000);
});

test('an observation that is not as its kind should be is shown like one of an unknown kind', () => {
  const odd: Observation = { content: [textContent('a')], kind: 'TaskObservation' };
  expect(observationContent(odd).at(-1)).toEqual(textContent('a'));
});
