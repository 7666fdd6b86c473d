import { type Event, parseEvent } from '@conv/core/events';
import { costGrowth } from '@conv/testing-harness';
import fc from 'fast-check';
import stringWidth from 'fast-string-width';
import { expect, test } from 'vitest';
import { plainLine, plainText } from '../src/text/plain-text.ts';
import { TerminalVisualizer } from '../src/index.ts';
import { fixture, fixtureIds, Log } from './log.ts';
import { scene } from './scene.ts';
import { Screen } from './screen.ts';
import { show, withoutColors } from './show.ts';

const ESCAPE = '\u001b';
const hostile = fc.oneof(
  fc.constantFrom(
    `${ESCAPE}[2J`,
    `${ESCAPE}]0;owned\u0007`,
    `${ESCAPE}]8;;https://evil.example${ESCAPE}\\`,
    `${ESCAPE}${ESCAPE}[0m[31m`,
    `${ESCAPE}[`,
    `${ESCAPE}]52;c;`,
    '\u009b5A',
    '\u009d0;t\u009c',
    '\r',
    '\r\n',
    '\b\b\b',
    '\u202eevil',
    '\u2066',
    '\u200b',
    '\ufeff',
    '\u{e0041}',
    '\ud800',
    '\t',
    '日本語',
    '👨‍👩‍👧‍👦',
    '🇩🇪',
    'e\u0301',
    'किमपि',
    ' ',
    '\n',
  ),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
);
const anyText = fc.array(hostile, { maxLength: 40 }).map((parts) => parts.join(''));

function everywhere(text: string): Event[] {
  const log = new Log()
    .user(text, { sender: text })
    .agent(text)
    .shell('c1', text, { thought: [{ text }], reasoning_content: text, summary: text })
    .printed('c1', text, 1)
    .call(text, 'c2', { [`a${text}`]: text, kind: text })
    .result(text, 'c2', text, { kind: text, is_error: true, full_output_save_dir: text })
    .call('file_editor', 'c3', {
      command: 'str_replace',
      path: text,
      old_str: text,
      new_str: `${text}\n${text}`,
      kind: 'FileEditorAction',
    })
    .call('task_tracker', 'c4', {
      command: 'plan',
      task_list: [{ title: text, notes: text }],
      kind: 'TaskTrackerAction',
    })
    .add('AgentErrorEvent', 'agent', { tool_name: text, tool_call_id: text, error: text })
    .add('UserRejectObservation', 'environment', {
      tool_name: text,
      tool_call_id: text,
      rejection_reason: text,
      action_id: text,
    })
    .add('ConversationErrorEvent', 'environment', { code: text, detail: text })
    .add('HookExecutionEvent', 'hook', {
      hook_event_type: 'Stop',
      hook_command: text,
      success: false,
      exit_code: 1,
      stdout: text,
    })
    .add('ACPToolCallEvent', 'agent', { tool_call_id: text, title: text, status: text, raw_output: text })
    .add('ConversationStateUpdateEvent', 'environment', { key: text, value: text });
  const id = text === '__root__' ? 'x' : text;
  return [...log.events, parseEvent({ id, kind: `x${text}`, source: 'agent', timestamp: '2026-11-20T09:00:00' })];
}

test('no line is wider than asked and no control character passes, whatever models and tools say', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.integer({ min: 20, max: 100 }), async (text, width) => {
      const output = await show(everywhere(text), { width });
      for (const line of output.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(output).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
      expect(output).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]|[\u{e0000}-\u{e007f}]/u);
    }),
    { numRuns: 200 },
  );
});

test('coloured output has only control sequences of our own colours', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const output = await show(everywhere(text), { color: 'always', highlight: [/\w+/] });
      expect(withoutColors(output)).not.toMatch(/(?!\n)\p{Cc}/u);
    }),
    { numRuns: 20 },
  );
});

test('fixtures stay within the width at 20, 40 and 80 columns', async () => {
  const all = [...fixtureIds().flatMap(fixture), ...scene()];
  for (const width of [20, 40, 80]) {
    const output = await show(all, { width });
    for (const line of output.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  }
});

test('a tool cannot paint over the block above, set the window title or turn text around', async () => {
  const screen = new Screen().watchTitle();
  const visualizer = new TerminalVisualizer({ stream: screen, color: 'never' });
  const attack = `safe${ESCAPE}[2A\r${ESCAPE}[2K$ echo harmless${ESCAPE}]0;owned\u0007\u202edaeh${ESCAPE}[31m red`;
  for (const event of new Log().shell('c1', 'rm -rf /').printed('c1', attack).events) await visualizer.onEvent(event);
  expect(await screen.text()).toMatchInlineSnapshot(`
    "◆ agent · terminal
      $ rm -rf /
      ✓ exit 0 · <1 ms
      │ safe
      │ $ echo harmless\\u202edaeh red"
  `);
  expect(screen.title).toBe('');
});

test('plain text drops whole sequences, shows the rest of broken ones and is its own fixed point', () => {
  expect(plainText(`${ESCAPE}[1;31mred${ESCAPE}[0m ${ESCAPE}(B${ESCAPE}=`)).toBe('red ');
  expect(plainText(`${ESCAPE}${ESCAPE}[0m[31mx`)).toBe('\\x1b[31mx');
  expect(plainText(`a${ESCAPE}]0;title\u0007b${ESCAPE}]8;;url${ESCAPE}\\link`)).toBe('ablink');
  expect(plainText('10%\r20%\r\ndone\u0085')).toBe('10%\n20%\ndone\\x85');
  expect(plainText('a\tb\n\tc')).toBe('a   b\n    c');
  expect(plainText('x\u202ey\u{e0041}z\ud800')).toBe('x\\u202ey\\u{e0041}z\ufffd');
  fc.assert(
    fc.property(anyText, (text) => {
      expect(plainText(plainText(text))).toBe(plainText(text));
    }),
  );
});

test('plain text takes time in proportion to what it is given', () => {
  for (const part of [`${ESCAPE}]`, `${ESCAPE}[0;`, `${ESCAPE}[ `, '\r', `${ESCAPE}P`]) {
    const growth = costGrowth((parts) => plainText(part.repeat(20_000 * parts)), 10);
    expect(growth, `ten times ${JSON.stringify(part)}`).toBeLessThan(40);
  }
});

test('P9: one line takes time in proportion to its text, also for blanks that no line end follows', () => {
  for (const part of [' ', '\t', ' \n', '\n', 'a \n b']) {
    const growth = costGrowth((parts) => plainLine(`${part.repeat(2_000 * parts)}x`), 10);
    expect(growth, `ten times ${JSON.stringify(part)}`).toBeLessThan(40);
  }
});

test('plain line puts one space in the place of line ends and the blanks around them', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(plainLine(text)).toBe(plainText(text).replace(/\s*\n\s*/g, ' '));
    }),
  );
});

test('P9: names of megabytes are cut in the heads of blocks', async () => {
  const long = 'x'.repeat(100_000);
  const log = new Log()
    .call(long, 'c1', { kind: 'A', text: 'a' }, { summary: long })
    .result(long, 'c2', 'done', { kind: 'B' });
  const shown = await show(log.events);
  expect(shown.match(/99,760 more characters/g)).toHaveLength(3);
  expect(shown.length).toBeLessThan(2_000);
});
