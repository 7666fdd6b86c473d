import { eventBytes } from '@conv/core/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from '../src/bounded-text.ts';
import { createHooks } from '../src/index.ts';
import { putToWork, stored } from './support/session.ts';

test('the event of a hook says what ran, when, for what and what came of it', async () => {
  const hooks = createHooks({ preToolUse: [{ hooks: [{ command: 'cat >/dev/null; echo out; echo err >&2' }] }] });
  const occasion = { type: 'PreToolUse', toolName: 'terminal', toolInput: { a: null }, actionId: 'a1' } as const;
  const { events } = await putToWork(hooks).run(occasion);
  expect(stored(events[0])).toEqual({
    id: expect.any(String),
    timestamp: expect.any(String),
    source: 'hook',
    hook_event_type: 'PreToolUse',
    hook_command: 'cat >/dev/null; echo out; echo err >&2',
    tool_name: 'terminal',
    success: true,
    blocked: false,
    exit_code: 0,
    stdout: 'out\n',
    stderr: 'err\n',
    action_id: 'a1',
    hook_input: { tool_name: 'terminal', tool_input: { a: null }, metadata: { action_id: 'a1' } },
    kind: 'HookExecutionEvent',
  });
});

test('P12: an event stays small whatever the hook was told and printed', async () => {
  const noisy = `head -c 200000 /dev/zero; head -c 200000 /dev/zero >&2`;
  const context = `printf '{"additionalContext": "'; head -c 200000 /dev/zero | tr '\\0' '"' | sed 's/"/\\\\u0001/g'; echo '"}'`;
  const hooks = createHooks({
    postToolUse: [{ hooks: [{ command: noisy }, { command: context }] }],
  });
  const long = 'text '.repeat(100_000);
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_none, index) => [`name ${index}`, index]));
  const outcome = await putToWork(hooks).run({
    type: 'PostToolUse',
    toolName: 'terminal',
    toolInput: { wide, list: Array.from({ length: 10_000 }, () => long.slice(0, 100)) },
    toolResponse: { content: [{ type: 'text', text: long }] },
  });
  for (const draft of outcome.events) {
    const event = stored(draft);
    expect(eventBytes(event)).toBeLessThan(600_000);
    expect(Buffer.byteLength(JSON.stringify(event.hook_input))).toBeLessThanOrEqual(65_536);
    expect(event.hook_input).toMatchObject({
      tool_name: 'terminal',
      tool_response: { content: [{ text: expect.stringMatching(/^text text .* more characters$/) }] },
    });
  }
});

test('a text is cut to its limits of characters and bytes, between characters, with a note', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 60, max: 200 }), (text, limit) => {
      const cut = cutText(text, limit);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(limit * 3);
      expect(cut.isWellFormed()).toBe(true);
      if (cut === text.toWellFormed()) return;
      const [, kept = '', left] = /^([\s\S]*) … (\d+) more characters$/.exec(cut) ?? [];
      expect(text.toWellFormed().startsWith(kept)).toBe(true);
      expect(kept.length + Number(left)).toBe(text.length);
    }),
  );
});
