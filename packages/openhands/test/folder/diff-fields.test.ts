import { expect, test } from 'vitest';

import { diffFields, toBaseState } from '../../src/folder/index.ts';
import { keptJson, initialFields } from '@conv/core';

const hooks = keptJson<'hooks'>({
  on_error: 'deny',
  pre_tool_use: [
    {
      matcher: 'terminal',
      hooks: [
        { type: 'command', command: './guard.sh', on_error: 'deny' },
        { type: 'function', name: 'guard' },
      ],
    },
  ],
  stop: [{ matcher: '*', hooks: [{ type: 'function', name: 'check' }] }],
});

test('a folder for OpenHands names no hook that it has no words for', () => {
  const wire = toBaseState({ ...initialFields, hookConfig: hooks })['hook_config'];
  expect(wire).toEqual({
    pre_tool_use: [{ matcher: 'terminal', hooks: [{ type: 'command', command: './guard.sh' }] }],
    stop: [],
  });
});

test('P4: hooks that OpenHands saved as they were are not a change', () => {
  const saved = {
    pre_tool_use: [
      {
        matcher: 'terminal',
        hooks: [{ type: 'command' as const, command: './guard.sh', timeout: 60, async: false, name: null }],
      },
    ],
  };
  expect(diffFields({ ...initialFields, hookConfig: hooks }, { hookConfig: saved })).toBeUndefined();
});

test('P4: hooks that OpenHands changed keep the members that it cannot express', () => {
  const saved = { pre_tool_use: [{ matcher: '*', hooks: [{ type: 'command' as const, command: './other.sh' }] }] };
  const patch = diffFields({ ...initialFields, hookConfig: hooks }, { hookConfig: saved });
  expect(patch?.set?.hookConfig).toEqual({
    on_error: 'deny',
    pre_tool_use: [...saved.pre_tool_use, { matcher: 'terminal', hooks: [{ type: 'function', name: 'guard' }] }],
    stop: hooks['stop'],
  });
});

test('secrets that were saved without the key are not forgotten', () => {
  const token = 'gAAAAABtoken';
  const before = {
    ...initialFields,
    agent: { llm: { model: 'm', api_key: token } },
    secretRegistry: {
      secret_sources: { A: { kind: 'StaticSecret', value: token }, B: { kind: 'StaticSecret', value: token } },
    },
  };
  const stars = '**********';
  const patch = diffFields(before, {
    agent: { llm: { model: 'n', api_key: stars } },
    secretRegistry: { secret_sources: { A: { kind: 'StaticSecret', value: stars } } },
  });
  expect(patch?.set).toEqual({
    agent: { llm: { model: 'n', api_key: token } },
    secretRegistry: { secret_sources: { A: { kind: 'StaticSecret', value: token } } },
  });
});
