import { expect, test } from 'vitest';
import { fixture, Log } from './log.ts';
import { scene } from './scene.ts';
import { show } from './show.ts';

test('quiet mode shows messages, errors and ends of runs', async () => {
  expect(await show(scene(), { mode: 'quiet' })).toMatchInlineSnapshot(`
    "❯ user · alice
      Make the greeting friendlier and run the tests.

    ✗ termnal · error · agent action · <1 ms
      │ Tool 'termnal' not found.

    ● agent · finish
      The greeting is friendlier now.

      - changed \`src/greet.js\`
      - one test still fails
    "
  `);
  expect(await show(fixture('3c9d4d9aaaeb4584aedb2fc9d029f19b'), { mode: 'quiet' })).toMatchInlineSnapshot(`
    "❯ user
      SCRIPT [{"delay": 3, "content": "", "tool_calls": [{"name": "think", "args":
      {"thought": "a"}}]}, {"content": "x"}]

    ‖ run paused · 0.5 s
    "
  `);
});

test('json mode writes each event as one line with the value of the log', async () => {
  const events = [...scene(), ...new Log().agent('\u009b31m \u202e \u2028 \u{e0041} ok').events];
  const text = await show(events, { mode: 'json', color: 'always' });
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(events);
});

test('user messages are left out in every mode when asked', async () => {
  for (const mode of ['normal', 'quiet', 'json'] as const) {
    const text = await show(scene(), { mode, skipUserMessages: true });
    expect(text).not.toContain('run the tests.');
    expect(text).toContain('friendlier now');
  }
});
