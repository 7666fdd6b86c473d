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
] as const)('the matcher %j asked for the tool %j says %s', async (matcher, toolName, expected) => {
  const hooks = createHooks({
    preToolUse: [{ matcher, hooks: [{ type: 'function', name: 'f', run: () => undefined }] }],
  });
  const { runner, run } = putToWork(hooks);
  const occasion = { type: 'PreToolUse', ...(toolName !== undefined && { toolName }) } as const;
  expect(runner.handles(occasion)).toBe(expected);
  expect((await run(occasion)).events).toHaveLength(expected ? 1 : 0);
});

test('matchers do not matter where there is no tool', () => {
  const { runner } = putToWork(createHooks({ stop: [{ matcher: 'terminal', hooks: [{ command: 'true' }] }] }));
  expect(runner.handles({ type: 'Stop' })).toBe(true);
  expect(runner.handles({ type: 'SessionEnd' })).toBe(false);
});
