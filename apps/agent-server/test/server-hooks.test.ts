import { keptJson } from '@conv/core';
import type { Sandbox } from '@conv/core/tool';
import { expect, test } from 'vitest';

import { serverHooks } from '../src/server-hooks.ts';

const open: Sandbox = {
  name: 'open',
  open: async () => ({ rules: '', confine: (start) => start, place: (path) => path, close: async () => {} }),
};

const command = keptJson<'hooks'>({ pre_tool_use: [{ matcher: '*', hooks: [{ command: './check.sh' }] }] });
const prompt = keptJson<'hooks'>({ stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }] });

test('command hooks are refused where they would run outside of an executor and without a sandbox', () => {
  expect(() => serverHooks(undefined)(command, { isExecuted: true })).toThrow(
    'expected a server with a sandbox for hooks that are commands',
  );
  expect(serverHooks(undefined)(prompt, { isExecuted: true })).toBeDefined();
  expect(serverHooks(undefined)(command, { isExecuted: false })).toBeDefined();
  expect(serverHooks(open)(command, { isExecuted: true })).toBeDefined();
});
