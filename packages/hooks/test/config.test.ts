import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';
import { createHooks, HooksError, isHooksError, reviveHooks } from '../src/index.ts';
import { putToWork } from './support/session.ts';

const parsed = (value: object) => JSON.parse(JSON.stringify(value));

test.each(['preToolUse', 'pre_tool_use', 'PreToolUse'])('the event %s is stored as pre_tool_use', (name) => {
  const hooks = createHooks({ [name]: [{ matcher: 'terminal', hooks: [{ command: 'true' }] }] });
  expect(hooks.config).toEqual({
    pre_tool_use: [{ matcher: 'terminal', hooks: [{ type: 'command', command: 'true' }] }],
  });
});

test('the stored configuration has the names of the wire, the given values, and is frozen', () => {
  const run = (): undefined => undefined;
  const { config } = createHooks({
    onError: 'deny',
    stop: [{ hooks: [{ command: 'true', name: 'n', timeout: 5, async: true, onError: 'allow' }] }],
    sessionStart: [{ hooks: [{ type: 'function', name: 'f', run, timeout: 3 }] }],
  });
  expect(config).toEqual({
    session_start: [{ matcher: '*', hooks: [{ type: 'function', name: 'f', timeout: 3 }] }],
    stop: [
      {
        matcher: '*',
        hooks: [{ type: 'command', command: 'true', name: 'n', timeout: 5, async: true, on_error: 'allow' }],
      },
    ],
    on_error: 'deny',
  });
  expect(parsed(config)).toEqual(config);
  expect(Object.isFrozen((config['stop'] as readonly JsonObject[])[0]?.['hooks'])).toBe(true);
});

test('kinds that cannot run here are kept with all they say', () => {
  const prompt = { type: 'prompt', prompt: 'Is this safe?', name: null, tools: [], max_iterations: 3 };
  const unknown = { type: 'oracle', question: 'Is it?', async_: 'perhaps' };
  const { config } = createHooks(parsed({ hooks: { Stop: [{ hooks: [prompt, unknown] }] } }));
  expect(config).toEqual({ stop: [{ matcher: '*', hooks: [{ ...prompt, command: '' }, unknown] }] });
});

const hook = { command: 'true' };
test.each<readonly [string, unknown, RegExp]>([
  ['an unknown event', { preToolUze: [] }, /preToolUze: unknown event/],
  ['one event under two names', { PreToolUse: [], preToolUse: [] }, /preToolUse: the same event as 'PreToolUse'/],
  ['one event under two stored names', { pre_tool_use: [], PreToolUse: [] }, /PreToolUse: .*'pre_tool_use'/],
  ['no list of matchers', { stop: hook }, /stop: expected a list/],
  ['a matcher that is none', { stop: ['true'] }, /stop\[0\]: expected an object, found a string/],
  [
    'an unknown member of a matcher',
    { stop: [{ tool: 'x', hooks: [] }] },
    /stop\[0\]\.tool: unknown member; expected one of matcher, hooks/,
  ],
  [
    'a member that is spelled wrong',
    { stop: [{ hooks: [{ ...hook, onerror: 'deny' }] }] },
    /hooks\[0\]\.onerror: unknown/,
  ],
  ['no command', { stop: [{ hooks: [{}] }] }, /stop\[0\]\.hooks\[0\]\.command/],
  ['an empty command', { stop: [{ hooks: [{ command: '' }] }] }, /command: expected a command/],
  ['a command that no process can be given', { stop: [{ hooks: [{ command: 'a\0b' }] }] }, /command: expected/],
  ['a timeout of no time', { stop: [{ hooks: [{ ...hook, timeout: 0 }] }] }, /timeout: expected whole seconds/],
  ['a timeout in parts of seconds', { stop: [{ hooks: [{ ...hook, timeout: 1.5 }] }] }, /timeout: expected whole/],
  ['a timeout that no timer waits for', { stop: [{ hooks: [{ ...hook, timeout: 1e12 }] }] }, /timeout: expected/],
  ['async that is no boolean', { stop: [{ hooks: [{ ...hook, async: 'yes' }] }] }, /async: expected true or false/],
  ['an unknown policy', { onError: 'ignore' }, /onError: expected 'allow' or 'deny'/],
  ['an unknown policy of a hook', { stop: [{ hooks: [{ ...hook, on_error: true }] }] }, /hooks\[0\]\.onError/],
  ['two policies', { onError: 'deny', on_error: 'allow' }, /both 'onError' and 'on_error'/],
  [
    'an expression that is none',
    { stop: [{ matcher: '/(/', hooks: [] }] },
    /stop\[0\]\.matcher: expected a regular expression, found \/\(\//,
  ],
  [
    'an expression that looks like one',
    { stop: [{ matcher: 'a(b', hooks: [] }] },
    /matcher: expected a regular expression, found a\(b/,
  ],
  [
    'a function without a name',
    { stop: [{ hooks: [{ type: 'function', run: () => undefined }] }] },
    /hooks\[0\]\.name/,
  ],
  [
    'a function that is not given',
    { stop: [{ hooks: [{ type: 'function', name: 'f' }] }] },
    /function 'f' is not given/,
  ],
  ['a function of a command', { stop: [{ hooks: [{ ...hook, run: () => undefined }] }] }, /run: for hooks of type/],
  ['members beside the inner hooks', { hooks: { stop: [] }, stop: [] }, /stop: unknown member beside 'hooks'/],
  ['a type that is not text', { stop: [{ hooks: [{ type: 7 }] }] }, /hooks\[0\]\.type: expected a text/],
  ['a list', [], /hooks: expected an object/],
])('%s is refused INVALID_CONFIG and named', (_what, config, message) => {
  const create = (): unknown => createHooks(config as object);
  expect(create).toThrow(HooksError);
  expect(create).toThrow(message);
  expect(create).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }));
});

test('two functions of one name are refused, for only one could be found again', () => {
  const both = [
    { type: 'function', name: 'f', run: () => undefined },
    { type: 'function', name: 'f', run: () => undefined },
  ] as const;
  expect(() => createHooks({ stop: [{ hooks: both }] })).toThrow(/two functions are called 'f'/);
  expect(() => createHooks({ stop: [{ hooks: [both[0], both[0]] }] })).not.toThrow();
  expect(() => createHooks({ stop: [{ hooks: [both[0]] }] }, { functions: { f: both[1].run } })).toThrow(/called 'f'/);
});

test('an error of another copy of the package is known by its brand', () => {
  const error = new HooksError('UNREADABLE', 'x');
  expect(isHooksError(error)).toBe(true);
  expect(isHooksError(error, 'INVALID_CONFIG')).toBe(false);
  expect(isHooksError(new Error('[UNREADABLE] x'))).toBe(false);
});

test('a stored configuration comes to the same hooks again', async () => {
  const first = createHooks({ onError: 'deny', stop: [{ hooks: [{ command: 'exit 1' }] }] });
  const again = reviveHooks()(parsed(first.config));
  expect(again?.config).toEqual(first.config);
  if (!again) throw new Error('the hooks were not found');
  expect(await putToWork(again).run({ type: 'Stop' })).toMatchObject({ blocked: true });
});

test('a stored configuration that names functions needs them given again', async () => {
  const deny = () => ({ decision: 'deny' }) as const;
  const { config } = createHooks({ stop: [{ hooks: [{ type: 'function', name: 'f', run: deny }] }] });
  expect(reviveHooks()(config)).toBeUndefined();
  expect(reviveHooks({ functions: { g: deny } })(config)).toBeUndefined();
  const hooks = reviveHooks({ functions: { f: deny } })(config);
  if (!hooks) throw new Error('the hooks were not found');
  expect(await putToWork(hooks).run({ type: 'Stop' })).toMatchObject({ blocked: true });
});

test('the hooks that OpenHands has stored are read, and unknown members are kept', () => {
  const definition = { type: 'command', name: null, command: 'true', prompt: null, system_prompt: null, tools: [] };
  const matcher = {
    matcher: '*',
    since: '2.0',
    hooks: [{ ...definition, timeout: 60, max_iterations: 3, once: true }],
  };
  const config = { pre_tool_use: [matcher], post_tool_use: [], stop: [{ hooks: [{ command: 'true', async_: true }] }] };
  expect(reviveHooks()(parsed(config))?.config).toEqual({
    ...config,
    stop: [{ matcher: '*', hooks: [{ type: 'command', command: 'true', async: true }] }],
  });
});

test('the policy of the options holds where a configuration has none, and is stored with it', async () => {
  const config = { stop: [{ hooks: [{ command: 'exit 1' }] }] };
  const hooks = createHooks(config, { onError: 'deny' });
  expect(hooks.config).toMatchObject({ on_error: 'deny' });
  expect(await putToWork(hooks).run({ type: 'Stop' })).toMatchObject({ blocked: true });
  const own = createHooks({ ...config, onError: 'allow' }, { onError: 'deny' });
  expect(await putToWork(own).run({ type: 'Stop' })).toMatchObject({ blocked: false });
});

test('hooks of a kind that does not run here are told of when they are given', async () => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  createHooks(parsed({ preToolUse: [{ hooks: [{ type: 'agent', system_prompt: 'Is this safe?' }] }] }));
  expect((await warned).message).toContain("'agent'");
});
