import { expect, test } from 'vitest';
import { createHooks } from '../src/index.ts';
import { putToWork } from './support/session.ts';

test.each([
  ['*', 'terminal', true],
  ['', 'terminal', true],
  ['*', undefined, true],
  ['terminal', 'terminal', true],
  ['terminal', 'terminals', false],
  ['terminal', 'Terminal', false],
  ['terminal', undefined, false],
  ['/term.*/', 'terminal', true],
  ['/term/', 'terminal', false],
  ['/terminal|file_editor/', 'file_editor', true],
  ['/terminal|file_editor/', 'file_editor_2', false],
  ['terminal|file_editor', 'terminal', true],
  ['mcp__.*', 'mcp__search', true],
  ['.*search', 'mcp__search_all', false],
  ['(?i)TERMINAL', 'terminal', true],
  [String.raw`mcp\-\w+`, 'mcp-search', true],
  [String.raw`a\\b+`, String.raw`a\bb`, true],
  ['/', '/', true],
  ['(?P<kind>mcp|terminal).*', 'mcp_search', true],
  [String.raw`mcp_\d+`, 'mcp_x', false],
] as const)('the matcher %j asked for the tool %j says %s', async (matcher, toolName, expected) => {
  const hooks = createHooks({
    preToolUse: [{ matcher, hooks: [{ type: 'function', name: 'f', run: () => undefined }] }],
  });
  const { runner, run } = putToWork(hooks);
  const occasion = { type: 'PreToolUse', ...(toolName !== undefined && { toolName }) } as const;
  expect(runner.handles(occasion)).toBe(expected);
  expect((await run(occasion)).events).toHaveLength(expected ? 1 : 0);
});

test('P10: an expression that would backtrack for years is matched at once, and decides', () => {
  const matcher = '(a+)+b';
  const { runner } = putToWork(createHooks({ preToolUse: [{ matcher, hooks: [{ command: 'true' }] }] }));
  expect(runner.handles({ type: 'PreToolUse', toolName: 'a'.repeat(50_000) })).toBe(false);
  expect(runner.handles({ type: 'PreToolUse', toolName: `${'a'.repeat(50_000)}b` })).toBe(true);
});

test.each([String.raw`(?!terminal).*`, String.raw`(a)\1`, String.raw`term\Z`])(
  'P10: the expression %s, which cannot be matched in linear time, is taken for every tool',
  (matcher) => {
    const { runner } = putToWork(createHooks({ preToolUse: [{ matcher, hooks: [{ command: 'true' }] }] }));
    expect(runner.handles({ type: 'PreToolUse', toolName: 'terminal' })).toBe(true);
  },
);

test('matchers do not matter where there is no tool', () => {
  const { runner } = putToWork(createHooks({ stop: [{ matcher: 'terminal', hooks: [{ command: 'true' }] }] }));
  expect(runner.handles({ type: 'Stop' })).toBe(true);
  expect(runner.handles({ type: 'SessionEnd' })).toBe(false);
});
