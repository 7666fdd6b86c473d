import { expect, test } from 'vitest';
import { fixture } from './log.ts';
import { scene } from './scene.ts';
import { readableColors, show, withoutColors } from './show.ts';

test('a turn at 80 columns without colour says everything in words and signs', async () => {
  expect(await show(scene(), { width: 80 })).toMatchInlineSnapshot(`
    "❯ user · alice
      Make the greeting friendlier and run the tests.

    ◆ agent · file_editor · edit src/greet.js · +1 −1 · use a template literal
      ┊ Small change.
      A template literal reads better here.
      │ -   return "Hello " + name;
      │ +   return \`Hello \${name}!\`;
      ✓ +1 −1 · 8 ms

    ◆ agent · task_tracker · 3 tasks
      [x] Change the greeting
      [>] Run the tests
          node 22 and 24
      [ ] Say what changed

    ◆ agent · terminal · MEDIUM risk
      $ npm test -- --reporter=dot

    ◆ agent · search_docs
      query: vitest reporters
      limit: 3

    ✗ terminal · $ npm test -- --reporter=dot · exit 1 · 3.4 s
      │ test 1 ok
      │ test 2 ok
      │ test 3 ok
      │ test 4 ok
      │ test 5 ok
      │ test 6 ok
      │ test 7 ok
      │ … 19 more lines …
      │ test 27 ok
      │ test 28 ok
      │ test 29 ok
      │ test 30 ok

    ✓ search_docs · vitest reporters · 3.4 s
      │ 日本語のドキュメント 📚 reporters: dot, tap, json

    ◆ agent · terminal · HIGH risk
      $ rm -rf build
      ⊘ rejected by user · 4.0 s
      │ keep the build

    ◆ agent · termnal · invalid call
      null
      ✗ error · agent action · <1 ms
      │ Tool 'termnal' not found.

    ↪ hook · PreToolUse · check.sh · blocked
      │ no network

    ≡ condensed · 3 events left out
      │ The greeting was changed.

    · WeatherEvent · 00000000-0000-4000-8000-000000000015

    ● agent · finish
      The greeting is friendlier now.

      - changed \`src/greet.js\`
      - one test still fails
    "
  `);
});

test('the same turn at 40 columns breaks between words and keeps its indent', async () => {
  expect(await show(scene().slice(0, 8), { width: 40, maxOutputLines: 4 })).toMatchInlineSnapshot(`
    "❯ user · alice
      Make the greeting friendlier and run
      the tests.

    ◆ agent · file_editor · edit
      src/greet.js · +1 −1 · use a template
      literal
      ┊ Small change.
      A template literal reads better here.
      │ -   return "Hello " + name;
      │ +   return \`Hello \${name}!\`;
      ✓ +1 −1 · 8 ms

    ◆ agent · task_tracker · 3 tasks
      [x] Change the greeting
      [>] Run the tests
          node 22 and 24
      [ ] Say what changed

    ◆ agent · terminal · MEDIUM risk
      $ npm test -- --reporter=dot

    ◆ agent · search_docs
      query: vitest reporters
      limit: 3

    ✗ terminal · $ npm test --
      --reporter=dot · exit 1 · 3.4 s
      │ test 1 ok
      │ test 2 ok
      │ … 27 more lines …
      │ test 30 ok
    "
  `);
});

test('the same blocks in colour carry the same text', async () => {
  const colored = await show(scene(), { color: 'always' });
  expect(withoutColors(colored)).toBe(await show(scene(), { color: 'never' }));
  expect(readableColors(await show(scene().slice(1, 3), { color: 'always' }))).toMatchInlineSnapshot(`
    "‹36›◆‹39› ‹36›‹1›agent‹22›‹39›‹2› · ‹22›‹36›file_editor‹39›‹2› · ‹22›edit ‹1›src/greet.js‹22›‹2› · ‹22›‹32›+1‹39› ‹31›−1‹39›‹2› · ‹22›use a template literal
      ‹2›┊ ‹22›‹2›Small change.‹22›
      A template literal reads better here.
      ‹2›│ ‹22›‹31›- ‹39›‹31›  return "Hello " + name;‹39›
      ‹2›│ ‹22›‹32›+ ‹39›‹32›  return \`Hello \${name}!\`;‹39›
      ‹32›✓‹39› ‹32›+1‹39› ‹31›−1‹39›‹2› · ‹22›‹2›8 ms‹22›
    "
  `);
});

test('a folder of the Python reference is shown with the ends of its runs and what they cost', async () => {
  expect(await show(fixture('328be85a2bfd49359351927befc80879'), { maxOutputLines: 4 })).toMatchInlineSnapshot(`
    "· system prompt · tools: file_editor, finish, think

    ❯ user
      SCRIPT [{"content": "x", "tool_calls": [{"name": "file_editor", "args":
      {"command": "view", "path": "/tmp"}}]}, {"content": "bye"}]

    ◆ agent · file_editor · view /tmp
      x

    ? waiting for approval · 1 call · 5 ms

    ⊘ file_editor · view /tmp · rejected by user · 2.1 s
      │ no way

    ● agent · $0.0010
      bye

    ■ run finished · 15 ms

    ❯ user
      SCRIPT [{"content": "x", "tool_calls": [{"name": "file_editor", "args":
      {"command": "view", "path": "/tmp"}}]}, {"content": "bye"}]

    ◆ agent · file_editor · view /tmp · $0.0010
      x

    ? waiting for approval · 1 call · 7 ms

    ✓ file_editor · view /tmp · 1.0 s
      │ Here's the files and directories up to 2 levels deep in /tmp, excluding
      │ hidden items:
      │ /tmp/
      │ … 128 more lines …
      │ 1 hidden files/directories in this directory are excluded. You can use 'ls
      │ -la /tmp' to see them.

    ● agent · $0.0010
      bye

    ■ run finished · 12 ms
    "
  `);
  expect(await show(fixture('a3cabd23b3da480a8d875c928ad2ae06'))).toMatchInlineSnapshot(`
    "· system prompt · tools: file_editor, finish, think

    ❯ user
      SCRIPT [{"error": "boom"}]

    ✗ run stopped by an error · 4 ms

    ✗ error · RuntimeError
      │ boom
    "
  `);
});

test('the fixture with every built-in tool reads well at 80 columns', async () => {
  expect(await show(fixture('c89c573ea48b4e17b8ecc4ca4fe3589c').slice(5, 26))).toMatchInlineSnapshot(`
    "◆ agent · file_editor · create /data/ws/proj/a.txt · +1 · make file
      ┊ hmm
      thinking about it
      │ + hi

    ◆ agent · terminal · say hello
      $ echo hello

    ✓ file_editor · create /data/ws/proj/a.txt · +1 · 6 ms

    ✗ terminal · $ echo hello · error · internal · 0.4 s
      │ Error executing tool 'terminal': 'Parser' object has no attribute 'parse'

    ◆ agent · task_tracker · 1 task · plan · $0.0020
      [ ] t1

    ◆ agent · terminal · invalid call · $0.0010
      {}
      ✗ error · agent action · <1 ms
      │ Error validating tool 'terminal': 1 validation error for TerminalAction
      │ command
      │   Field required [type=missing, input_value={}, input_type=dict]
      │     For further information visit
      │     https://errors.pydantic.dev/2.13/v/missing. Parameters provided: []

    ◆ agent · nosuch · invalid call · $0.0010
      {"x": 1}
      ✗ error · agent action · 1 ms
      │ Tool 'nosuch' not found. Available: ['terminal', 'file_editor',
      │ 'task_tracker', 'finish', 'think']

    ◆ agent · think · $0.0010
      ok

    ● agent · finish · $0.0010
      all done
      Finished!
    "
  `);
});
