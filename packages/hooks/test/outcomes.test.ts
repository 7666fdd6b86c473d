import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Consultation, HookOccasion } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { createHooks, type FailurePolicy, reviveHooks } from '../src/index.ts';
import { putToWork, stored, temporaryFolder } from './support/session.ts';

const terminal: HookOccasion = {
  type: 'PreToolUse',
  toolName: 'terminal',
  toolInput: { command: 'ls' },
  actionId: 'action-1',
};

function guard(command: string, onError: FailurePolicy = 'allow') {
  return putToWork(createHooks({ onError, preToolUse: [{ hooks: [{ command }] }] }));
}

const printing = (json: string, exitCode: number): string => `printf '%s' '${json}'; exit ${exitCode}`;

describe('what a command says', () => {
  test.each([
    ['nothing', 'true'],
    ['a text that is not JSON', 'echo fine'],
    ['JSON that is no object', 'echo 7'],
    ['an object without a decision', `echo '{"note": "all right"}'`],
    ['allow', `echo '{"decision": "allow"}'`],
    ['approve', `echo '{"decision": "Approve"}'`],
    ['that it goes on', `echo '{"continue": true}'`],
    ['a sentence with a no in it', 'echo nothing to deny or block here'],
    ['an object whose reason is a no', `echo '{"decision": "allow", "reason": "deny"}'`],
  ])('exit code 0 and %s is a yes, also where failures are denials', async (_what, command) => {
    const outcome = await guard(command, 'deny').run(terminal);
    expect(outcome).toMatchObject({ blocked: false, reason: undefined, additionalContext: undefined });
    expect(stored(outcome.events[0])).toMatchObject({ success: true, blocked: false, exit_code: 0 });
  });

  test.each([
    '{"decision": false}',
    '{"decision": null}',
    '{"decision": ["deny"]}',
    '{"decision": "allow"}',
    '{"dec',
    '',
  ])('exit code 2 blocks whatever is printed: %s', async (printed) => {
    const outcome = await guard(printing(printed, 2)).run(terminal);
    expect(outcome.blocked).toBe(true);
    expect(outcome.reason).toMatch(/Blocked by the hook printf/);
    expect(stored(outcome.events[0])).toMatchObject({ success: false, blocked: true, exit_code: 2, stdout: printed });
  });

  test.each([
    '{"decision": "deny"}',
    '{"decision": "block"}',
    '{"decision": " DENY "}',
    '{"decision": "allow", "continue": false}',
    '{"continue": 0}',
  ])('a denial blocks with exit code 0: %s', async (printed) => {
    const outcome = await guard(printing(printed, 0)).run(terminal);
    expect(outcome.blocked).toBe(true);
    expect(stored(outcome.events[0])).toMatchObject({ success: true, blocked: true, exit_code: 0 });
  });

  test('a denial blocks when the command fails afterwards', async () => {
    const outcome = await guard(printing('{"decision":"deny","reason":"no"}', 1)).run(terminal);
    expect(outcome).toMatchObject({ blocked: true, reason: 'no' });
    expect(stored(outcome.events[0])).toMatchObject({
      success: false,
      exit_code: 1,
      error: 'it ended with exit code 1',
    });
  });

  test.each([0, 2])(
    'a denial with exit code %i and additional context blocks, and hands the context on',
    async (code) => {
      const printed = '{"decision":"deny","reason":"not today","additionalContext":"Use the file editor."}';
      const outcome = await guard(printing(printed, code)).run({ type: 'PreToolUse', toolName: 'terminal' });
      expect(outcome).toMatchObject({
        blocked: true,
        reason: 'not today',
        additionalContext: 'Use the file editor.',
      });
      expect(stored(outcome.events[0])).toMatchObject({
        reason: 'not today',
        additional_context: 'Use the file editor.',
      });
    },
  );

  test('the error output of a command is the reason when the command gives none', async () => {
    const outcome = await guard('echo " rm is not allowed " >&2; exit 2').run(terminal);
    expect(outcome.reason).toBe('rm is not allowed');
  });
});

describe('a hook that fails', () => {
  const failures: readonly (readonly [string, string, RegExp])[] = [
    ['ends with exit code 1', 'exit 1', /exit code 1/],
    ['does not exist', './nowhere.sh', /exit code 127/],
    ['kills itself', 'kill -KILL $$', /killed by SIGKILL/],
    ['decides with an unknown word', `echo '{"decision": "maybe"}'`, /"maybe"/],
    ['decides with no text', `echo '{"decision": false}'`, /decision is false/],
    ['decides with null', `echo '{"decision": null}'`, /decision is null/],
    ['prints half an object', `echo '{"decision": "deny"'`, /not a JSON object/],
    ['prints a decision after other lines', `echo checking; echo '{"decision": "deny"}'`, /not a JSON object/],
    [
      'prints a decision after more output than is read',
      `head -c 300000 /dev/zero | tr '\\0' ' '; echo '{"decision":"deny"}'`,
      /more than 262144 characters/,
    ],
  ];

  test.each(failures)('a hook that %s lets things pass by default and says so', async (_what, command, error) => {
    const outcome = await guard(command).run(terminal);
    expect(outcome.blocked).toBe(false);
    const event = stored(outcome.events[0]);
    expect(event).toMatchObject({ success: false, blocked: false });
    expect(event.error).toMatch(error);
  });

  test.each(failures)('a hook that %s blocks where failures are denials', async (_what, command, error) => {
    const outcome = await guard(command, 'deny').run(terminal);
    expect(outcome.blocked).toBe(true);
    expect(outcome.reason).toMatch(error);
    expect(stored(outcome.events[0])).toMatchObject({ success: false, blocked: true });
  });

  test('a hook that takes too long blocks where failures are denials', async () => {
    const hooks = createHooks({ preToolUse: [{ hooks: [{ command: 'sleep 100', timeout: 1, onError: 'deny' }] }] });
    const outcome = await putToWork(hooks).run(terminal);
    expect(outcome).toMatchObject({ blocked: true, reason: 'The hook sleep 100 failed: it did not end within 1 s' });
    expect(stored(outcome.events[0])).toMatchObject({ success: false, exit_code: -1 });
  });

  test('a hook says for itself whether its failure is a denial', async () => {
    const hooks = createHooks({
      onError: 'deny',
      preToolUse: [{ hooks: [{ command: 'exit 1', onError: 'allow' }, { command: 'exit 3' }] }],
    });
    const { blocked, events, reason } = await putToWork(hooks).run(terminal);
    expect(blocked).toBe(true);
    expect(events.map((event) => event.blocked)).toEqual([false, true]);
    expect(reason).toMatch(/exit code 3/);
  });

  test.each(['nowhere/at/all', 'file'])('a hook whose folder %s is not there is said by name', async (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const run = { command: `touch ${join(folder, 'ran')}` };
    const hooks = createHooks({ preToolUse: [{ hooks: [run] }] });
    const workingDirectory = join(folder, name);
    const runner = hooks.start({ conversationId: 'c', workingDirectory, onAsyncEnd: () => undefined });
    const outcome = await runner.run(terminal, new AbortController().signal);
    expect(outcome.reason).toContain(
      `could not be started: expected the folder ${workingDirectory} of the conversation on this machine, found none`,
    );
    expect(stored(outcome.events[0])).toMatchObject({ exit_code: -1, blocked: true });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  test.each(['agent', 'oracle'])('a hook whose kind, %s, cannot run here fails like others', async (type) => {
    const definition = { type, prompt: 'Is this safe?', name: 'judge' };
    const hooks = createHooks(JSON.parse(JSON.stringify({ PreToolUse: [{ hooks: [definition] }], on_error: 'deny' })));
    const outcome = await putToWork(hooks).run(terminal);
    expect(outcome.reason).toContain(`hooks of type '${type}' cannot run here`);
    expect(stored(outcome.events[0])).toMatchObject({ hook_command: `${type}:judge`, exit_code: -1, blocked: true });
  });
});

describe('before a tool call, where nothing is said about failures', () => {
  const unsaid = (hook: object): ReturnType<typeof putToWork> =>
    putToWork(createHooks({ preToolUse: [{ hooks: [hook as { command: string }] }] }));

  test.each([
    ['a script that is missing', './nowhere.sh', /exit code 127/],
    ['a script that may not be run', ': > x; ./x', /exit code 126/],
    ['a command that is killed', 'kill -KILL $$', /killed by SIGKILL/],
    ['a command that a signal ends inside its shell', `sh -c 'kill -TERM $$'; exit $?`, /exit code 143/],
    ['an unknown word', `echo '{"decision": "maybe"}'`, /"maybe"/],
    ['half an object', `echo '{"decision": "deny"'`, /not a JSON object/],
    ['a no that is no object', 'echo deny', /looks like a decision/],
    ['a no in quotes', `echo '"block"'`, /no object with a decision/],
    ['a decision in a list', `echo '[{"decision": "deny"}]'`, /no object with a decision/],
    ['a misspelt decision', `echo '{"Decision": "deny"}'`, /another place than decision/],
    [
      'a decision in the words of another program',
      `echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}'`,
      /another place than decision/,
    ],
    ['a question', `echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}'`, /another place than decision/],
    ['a script of Node that is missing', 'node ./nowhere.js', /exit code 1/],
    ['a script of Node that throws', `node -e 'throw new Error("broken")'`, /exit code 1/],
    ['a script of Node that is none', `echo 'if (' > x.cjs; node x.cjs`, /exit code 1/],
    ['a script of Python that throws', `echo 'Traceback (most recent call last):' >&2; exit 1`, /exit code 1/],
    ['a script of Ruby that is missing', `echo 'ruby: No such file -- x.rb (LoadError)' >&2; exit 1`, /exit code 1/],
    [
      'a shell that stops at a variable without a value',
      'echo "x.sh: line 3: NOT_SET: unbound variable" >&2; exit 1',
      /exit code 1/,
    ],
    ['a shell that finds an error in its script', `echo 'if' > x.sh; sh x.sh || exit 1`, /exit code 1/],
  ])('P10: %s denies the call, and says why', async (_what, command, reason) => {
    const outcome = await unsaid({ command }).run(terminal);
    expect(outcome).toMatchObject({ blocked: true, reason: expect.stringMatching(reason) });
  });

  test('P10: a command that does not end in time, and a function that throws, deny the call', async () => {
    expect(await unsaid({ command: 'sleep 60', timeout: 1 }).run(terminal)).toMatchObject({ blocked: true });
    const run = (): never => {
      throw new Error('broken');
    };
    expect(await unsaid({ type: 'function', name: 'f', run }).run(terminal)).toMatchObject({ blocked: true });
  });

  test('P10: a hook of type agent denies with its reason, until it can run', async () => {
    const hooks = reviveHooks()({ pre_tool_use: [{ matcher: '*', hooks: [{ type: 'agent', system_prompt: 'x' }] }] });
    const outcome = await putToWork(hooks as NonNullable<typeof hooks>).run(terminal);
    expect(outcome).toMatchObject({ blocked: true, reason: expect.stringContaining("type 'agent' cannot run here") });
  });

  test('exit code 1 keeps the meaning that it has in OpenHands: something went wrong, and the call continues', async () => {
    const outcome = await unsaid({ command: 'echo careful >&2; exit 1' }).run(terminal);
    expect(outcome.blocked).toBe(false);
    expect(stored(outcome.events[0])).toMatchObject({ success: false, exit_code: 1, stderr: 'careful\n' });
  });

  test('a failure after a call, and one of a prompt, stop nothing', async () => {
    const hooks = createHooks({
      postToolUse: [{ hooks: [{ command: './nowhere.sh' }] }],
      userPromptSubmit: [{ hooks: [{ command: './nowhere.sh' }] }],
    });
    const { run } = putToWork(hooks);
    expect(await run({ type: 'PostToolUse', toolName: 'terminal' })).toMatchObject({ blocked: false });
    expect(await run({ type: 'UserPromptSubmit', message: 'hi' })).toMatchObject({ blocked: false });
  });
});

describe('a hook that the model judges', () => {
  const hooks = createHooks({
    preToolUse: [{ hooks: [{ type: 'prompt', name: 'safe', prompt: 'Only reading is allowed.' }] }],
  });

  test('P10: a hook that the model judges gets the policy apart from the event, and its decision counts', async () => {
    const asked: Consultation[] = [];
    const answers = ['Sure: {"decision": "deny", "reason": "it writes"} Bye.', '```json\n{"decision": "allow"}\n```'];
    const ask = (question: Consultation): Promise<string> => {
      asked.push(question);
      return Promise.resolve(answers.shift() ?? '');
    };
    const { run } = putToWork(hooks, { ask });
    expect(await run(terminal)).toMatchObject({ blocked: true, reason: 'it writes' });
    expect(await run(terminal)).toMatchObject({ blocked: false });
    expect(asked[0]).toMatchObject({
      instructions: expect.stringContaining('Only reading is allowed.'),
      question: expect.stringContaining('"command":"ls"'),
      usageId: 'prompt-hook:safe',
    });
    expect(asked[0]?.instructions).not.toContain('"command"');
  });

  test.each<[string, (() => Promise<string>) | undefined]>([
    ['no model', undefined],
    ['a model that fails', () => Promise.reject(new Error('overloaded'))],
    ['an answer without a decision', () => Promise.resolve('I think it is fine.')],
    ['an answer of nothing', () => Promise.resolve('')],
    ['half an object', () => Promise.resolve('{"decision": "al')],
  ])('P10: a hook that the model judges denies the call with %s', async (_what, ask) => {
    const outcome = await putToWork(hooks, ask ? { ask } : {}).run(terminal);
    expect(outcome.blocked).toBe(true);
    expect(stored(outcome.events[0])).toMatchObject({ hook_command: 'prompt:safe', success: false });
  });
});

describe('several hooks', () => {
  test('several hooks run in order up to the first that blocks', async () => {
    const hooks = createHooks({
      preToolUse: [
        { hooks: [{ command: 'echo 1 >> ran' }, { command: 'echo 2 >> ran; exit 2' }] },
        { hooks: [{ command: 'echo 3 >> ran' }] },
      ],
      stop: [{ hooks: [{ command: 'cat ran' }] }],
    });
    const { run } = putToWork(hooks);
    const outcome = await run(terminal);
    expect(outcome.events.map((event) => event.hook_command)).toEqual(['echo 1 >> ran', 'echo 2 >> ran; exit 2']);
    expect(stored((await run({ type: 'Stop' })).events[0]).stdout).toBe('1\n2\n');
  });

  test('several hooks add up what the model is told, apart by an empty line', async () => {
    const saying = (text: string): string => `echo '{"additionalContext": "${text}"}'`;
    const hooks = createHooks({
      userPromptSubmit: [
        {
          hooks: [
            { command: saying('One.') },
            { command: 'true' },
            { command: saying(' ') },
            { command: saying('Two.') },
          ],
        },
      ],
    });
    const outcome = await putToWork(hooks).run({ type: 'UserPromptSubmit', message: 'hello', messageId: 'm' });
    expect(outcome).toMatchObject({ blocked: false, additionalContext: 'One.\n\nTwo.' });
    expect(stored(outcome.events[0])).toMatchObject({ message_id: 'm', hook_input: { message: 'hello' } });
  });

  test.each(['PostToolUse', 'SessionStart', 'SessionEnd'] as const)(
    'several hooks of %s cannot block: all of them run',
    async (type) => {
      const hooks = createHooks({ [type]: [{ hooks: [{ command: 'echo why >&2; exit 2' }, { command: 'true' }] }] });
      const outcome = await putToWork(hooks).run({ type });
      expect(outcome).toMatchObject({ blocked: false, reason: 'why' });
      expect(outcome.events.map((event) => stored(event).exit_code)).toEqual([2, 0]);
      expect(outcome.events.map((event) => event.blocked)).toEqual([false, false]);
    },
  );
});
