import { expect, test } from 'vitest';
import { Log } from './log.ts';
import { scene } from './scene.ts';
import { readableColors, show } from './show.ts';

test('long output keeps its first and last lines and says how many are between', async () => {
  const output = Array.from({ length: 1000 }, (_, index) => `line ${index + 1}`).join('\n');
  const events = new Log().shell('c1', 'seq').printed('c1', output).events;
  expect(await show(events, { maxOutputLines: 4 })).toMatchInlineSnapshot(`
    "◆ agent · terminal
      $ seq
      ✓ exit 0 · <1 ms
      │ line 1
      │ line 2
      │ … 997 more lines …
      │ line 1000
    "
  `);
  expect(await show(events, { maxOutputLines: 0 })).toContain('│ … 1,000 lines …');
  expect((await show(events, { maxOutputLines: Infinity })).split('\n')).toHaveLength(1004);
});

test('one endless line of output is cut', async () => {
  const events = new Log().shell('c1', 'base64').printed('c1', 'x'.repeat(1_000_000)).events;
  expect(await show(events)).toMatchInlineSnapshot(`
    "◆ agent · terminal
      $ base64
      ✓ exit 0 · <1 ms
      │ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      │ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      │ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      │ xxxxxxxxxxxx … 999,760 more characters
    "
  `);
});

test('highlights mark strings and patterns in bodies, the earlier one first', async () => {
  const events = new Log().agent('WARN a.b at 10:30').events;
  const highlight = [
    /\bWARN\b/,
    { pattern: 'a.b', style: 'red' as const },
    { pattern: /WARN a|\d+:\d+|$/, style: 'blue' as const },
  ];
  expect(readableColors(await show(events, { color: 'always', highlight }))).toMatchInlineSnapshot(`
    "‹36›●‹39› ‹36›‹1›agent‹22›‹39›
      ‹1›‹33›WARN‹39›‹22› ‹1›‹31›a.b‹39›‹22› at ‹1›‹34›10:30‹39›‹22›
    "
  `);
  expect(await show(events, { color: 'never', highlight })).toBe('● agent\n  WARN a.b at 10:30\n');
});

test('an edit that was not seen as a call shows its diff with line numbers', async () => {
  expect(await show(scene().slice(2, 3))).toMatchInlineSnapshot(`
    "✓ file_editor · +1 −1
      │    2
      │    3   export function greet(name) {
      │    4 -   return "Hello " + name;
      │    4 +   return \`Hello \${name}!\`;
      │    5   }
      │    6
    "
  `);
});

test('a result whose call was not the block above names it', async () => {
  const events = new Log()
    .shell('c1', 'a')
    .shell('c2', 'b')
    .after(70_000)
    .printed('c1', '')
    .printed('c2', '', -1).events;
  expect(await show(events)).toMatchInlineSnapshot(`
    "◆ agent · terminal
      $ a

    ◆ agent · terminal
      $ b

    ✓ terminal · $ a · exit 0 · 1 min 10 s

    ✓ terminal · $ b · still running · 1 min 10 s
    "
  `);
});

test('events whose fields are odd are one line and hide nothing else', async () => {
  const odd = { id: 'e-1', kind: 'ActionEvent', source: 'agent', timestamp: 5 };
  const { readEvent } = await import('@conv/core/events');
  expect(await show([readEvent(odd), ...new Log().agent('still here').events])).toMatchInlineSnapshot(`
    "· ActionEvent · e-1

    ● agent
      still here
    "
  `);
});

test('a change of very many lines is counted and not searched for the shortest diff', async () => {
  const text = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n');
  const edit = { command: 'str_replace', path: 'a.txt', old_str: text('old'), new_str: text('new') };
  const events = new Log().call('file_editor', 'c1', { ...edit, kind: 'FileEditorAction' }).events;
  expect(await show(events)).toMatchInlineSnapshot(`
    "◆ agent · file_editor · edit a.txt · +3000 −3000
      │ 3,000 lines replaced by 3,000
    "
  `);
});

test('updates of the state are shown in words, larger values by their names alone', async () => {
  const values: Readonly<Record<string, unknown>> = {
    agent: { kind: 'Agent', llm: { model: 'openai/another', api_key: null } },
    confirmation_policy: { kind: 'AlwaysConfirm' },
    security_analyzer: {},
    max_iterations: 500,
    hook_config: { pre_tool_use: [{ matcher: 'terminal' }] },
  };
  const events = Object.entries(values).map(([key, value], at) => ({
    id: `update-${at}`,
    timestamp: `2026-01-01T00:00:0${at}`,
    source: 'environment',
    kind: 'ConversationStateUpdateEvent',
    key,
    value,
  }));
  const shown = await show(events as never);
  expect(shown).toMatchInlineSnapshot(`
    "· state agent · openai/another
    · state confirmation policy · AlwaysConfirm
    · state security analyzer · none
    · state max iterations · 500
    · state hook config
    "
  `);
  expect(shown).not.toMatch(/[{}"]/);
});
