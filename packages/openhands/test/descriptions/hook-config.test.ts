import { expect, test } from 'vitest';

import { requestedHookConfigSchema } from '../../src/descriptions/hook-config.ts';

const command = { command: './check.sh' };

test.each([
  ['as it is stored', { pre_tool_use: [{ matcher: 'terminal', hooks: [command] }] }],
  ['with names of moments as in files', { PreToolUse: [{ matcher: 'terminal', hooks: [command] }] }],
  ['below hooks, as in files', { hooks: { PreToolUse: [{ matcher: 'terminal', hooks: [command] }] } }],
  [
    'below hooks, beside what means nothing',
    { hooks: { pre_tool_use: [{ matcher: 'terminal', hooks: [command] }] }, version: 1 },
  ],
])('a configuration of hooks is read %s', (_, config) => {
  expect(requestedHookConfigSchema.parse(config)).toEqual({
    pre_tool_use: [{ matcher: 'terminal', hooks: [command] }],
  });
});

test('hooks that ask a model need no command', () => {
  const hooks = [
    { type: 'prompt', prompt: 'Is it safe?' },
    { type: 'agent', system_prompt: 'Look closely.', tools: ['terminal'], max_iterations: 5 },
  ];
  expect(requestedHookConfigSchema.parse({ stop: [{ hooks }] })).toEqual({
    stop: [{ hooks: hooks.map((hook) => ({ ...hook, command: '' })) }],
  });
});

test.each<[string, object, readonly (string | number)[]]>([
  ['no command', { stop: [{ hooks: [{}] }] }, ['stop', 0, 'hooks', 0, 'command']],
  [
    'a timeout below one second',
    { stop: [{ hooks: [{ ...command, timeout: -1 }] }] },
    ['stop', 0, 'hooks', 0, 'timeout'],
  ],
  ['no prompt', { stop: [{ hooks: [{ type: 'prompt' }] }] }, ['stop', 0, 'hooks', 0, 'prompt']],
  [
    'a prompt and a command',
    { stop: [{ hooks: [{ ...command, type: 'prompt', prompt: 'x' }] }] },
    ['stop', 0, 'hooks', 0, 'command'],
  ],
  ['an asynchronous agent', { stop: [{ hooks: [{ type: 'agent', async: true }] }] }, ['stop', 0, 'hooks', 0, 'async']],
  ['an unknown moment', { PreToolUses: [] }, []],
  ['one moment under two names', { PreToolUse: [], pre_tool_use: [] }, []],
])('a configuration of hooks with %s is refused at its place', (_, config, path) => {
  const { error } = requestedHookConfigSchema.safeParse(config);
  expect(error?.issues.map((issue) => issue.path)).toEqual([path]);
});
