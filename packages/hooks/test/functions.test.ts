import type { HookOccasion } from '@conv/core';
import { expect, test } from 'vitest';
import { createHooks, type FailurePolicy, type HookFunction, type HookInput } from '../src/index.ts';
import { putToWork, stored } from './support/session.ts';

const terminal: HookOccasion = {
  type: 'PreToolUse',
  toolName: 'terminal',
  toolInput: { command: 'ls' },
  actionId: 'a',
};

function guard(run: HookFunction, onError: FailurePolicy = 'allow') {
  return putToWork(
    createHooks({ onError, preToolUse: [{ hooks: [{ type: 'function', name: 'guard', run, timeout: 1 }] }] }),
  );
}

test('a function is told what a command reads', async () => {
  let told: HookInput | undefined;
  const { run, folder, conversationId } = guard((input) => void (told = input));
  await run(terminal);
  expect(told).toEqual({
    event_type: 'PreToolUse',
    tool_name: 'terminal',
    tool_input: { command: 'ls' },
    tool_response: null,
    message: null,
    session_id: conversationId,
    working_dir: folder,
    metadata: { action_id: 'a' },
  });
});

test.each<readonly [string, HookFunction, number, boolean]>([
  ['nothing', () => undefined, 0, false],
  ['nothing later', async () => undefined, 0, false],
  ['an empty object', () => ({}), 0, false],
  ['allow', () => ({ decision: 'allow' }), 0, false],
  ['deny', () => ({ decision: 'deny' }), 2, true],
  ['deny later', async () => ({ decision: 'deny', additionalContext: 'more' }), 2, true],
])('a function that answers %s', async (_what, run, exitCode, blocked) => {
  const outcome = await guard(run, 'deny').run(terminal);
  expect(outcome.blocked).toBe(blocked);
  const event = stored(outcome.events[0]);
  expect(event).toMatchObject({
    hook_command: 'function:guard',
    success: exitCode !== 2,
    exit_code: exitCode,
    blocked,
  });
});

const unclear =
  (answer: unknown): HookFunction =>
  () =>
    answer as undefined;
test.each<readonly [string, HookFunction, RegExp]>([
  [
    'throws',
    () => {
      throw new Error('no connection');
    },
    /no connection/,
  ],
  ['rejects', () => Promise.reject(new Error('no connection')), /no connection/],
  ['answers with a word that is not known', unclear({ decision: 'perhaps' }), /"perhaps"/],
  ['answers with a decision of another type', unclear({ decision: true }), /true/],
  ['answers with a text', unclear('deny'), /no object/],
])('a function that %s has failed', async (_what, run, error) => {
  const passed = await guard(run).run(terminal);
  expect(passed.blocked).toBe(false);
  expect(stored(passed.events[0])).toMatchObject({ success: false, exit_code: 1, error: expect.stringMatching(error) });
  const outcome = await guard(run, 'deny').run(terminal);
  expect(outcome).toMatchObject({ blocked: true, reason: expect.stringMatching(error) });
});

test('an answer after the deadline is a failure, and the signal has told the function', async () => {
  const late = Promise.withResolvers<{ decision: 'allow' }>();
  let reason: unknown;
  const { run } = guard((_input, { signal }) => {
    signal.addEventListener('abort', () => (reason = signal.reason));
    return late.promise;
  }, 'deny');
  const outcome = await run(terminal);
  expect(outcome).toMatchObject({ blocked: true, reason: expect.stringContaining('did not end within 1 s') });
  expect(stored(outcome.events[0])).toMatchObject({ success: false, exit_code: 1 });
  expect(reason).toMatchObject({ name: 'TimeoutError' });
  late.resolve({ decision: 'allow' });
});

test('an interrupt rejects with its reason at once, even when the function pays no heed', async () => {
  const interrupt = new AbortController();
  const reason = new Error('stop');
  const { run } = guard((_input, { signal }) => {
    signal.addEventListener('abort', () => expect(signal.reason).toBe(reason));
    interrupt.abort(reason);
    return new Promise(() => undefined);
  });
  await expect(run(terminal, interrupt.signal)).rejects.toBe(reason);
  await expect(run(terminal, interrupt.signal)).rejects.toBe(reason);
});

test('a change that a function makes to its input does not reach the occasion or the next hook', async () => {
  const seen: unknown[] = [];
  const change = (input: HookInput): void => {
    seen.push(structuredClone(input.tool_input));
    Object.assign(input.tool_input ?? {}, { command: 'changed' });
  };
  const hooks = createHooks({
    preToolUse: [{ hooks: [1, 2].map((number) => ({ type: 'function', name: `f${number}`, run: change }) as const) }],
  });
  await putToWork(hooks).run(terminal);
  expect(seen).toEqual([{ command: 'ls' }, { command: 'ls' }]);
  expect(terminal.toolInput).toEqual({ command: 'ls' });
});
