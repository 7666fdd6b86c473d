import { SECRET_MASK, type HookOccasion } from '@conv/core';
import { afterEach, expect, test, vi } from 'vitest';
import { createHooks, type HookInput } from '../src/index.ts';
import { secretsOf } from './support/secrets.ts';
import { putToWork, stored } from './support/session.ts';

const prompt: HookOccasion = { type: 'UserPromptSubmit', message: 'hello' };
const VALUE = 'correct-horse-battery';

afterEach(() => vi.unstubAllEnvs());

async function outputOf(command: string, options = {}): Promise<string> {
  const hooks = createHooks({ userPromptSubmit: [{ hooks: [{ command }] }] }, options);
  return stored((await putToWork(hooks).run(prompt)).events[0]).stdout ?? '';
}

test('a command gets only the variables of the server that it needs or that are named', async () => {
  vi.stubEnv('SERVER_API_KEY', 'sk-1234567890');
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  vi.stubEnv('WANTED', 'this one');
  vi.stubEnv('LC_TIME', 'C');
  const names = (text: string): string[] => text.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
  const plain = names(await outputOf('env'));
  expect(plain).toEqual(expect.arrayContaining(['PATH', 'HOME', 'LC_TIME', 'OPENHANDS_EVENT_TYPE']));
  const usual =
    /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|TERM|XDG_\w+|OPENHANDS_\w+|PWD|OLDPWD|SHLVL|_)$/;
  expect(plain.filter((name) => !usual.test(name))).toEqual([]);
  expect(names(await outputOf('env', { environment: ['WANTED'] }))).toContain('WANTED');
});

test('a command runs in the workspace and is told where, for whom and when', async () => {
  const command = 'pwd; echo "$OPENHANDS_PROJECT_DIR,$OPENHANDS_SESSION_ID,$OPENHANDS_EVENT_TYPE,$OPENHANDS_TOOL_NAME"';
  const hooks = createHooks({ preToolUse: [{ hooks: [{ command }] }], sessionEnd: [{ hooks: [{ command }] }] });
  const { run, folder, conversationId } = putToWork(hooks);
  const tool = await run({ type: 'PreToolUse', toolName: 'terminal' });
  expect(stored(tool.events[0]).stdout).toBe(`${folder}\n${folder},${conversationId},PreToolUse,terminal\n`);
  const end = await run({ type: 'SessionEnd' });
  expect(stored(end.events[0]).stdout).toBe(`${folder}\n${folder},${conversationId},SessionEnd,\n`);
});

test('pre_tool_use and post_tool_use run around the calls of a tool', async () => {
  const saying = (text: string) => [{ matcher: 'terminal', hooks: [{ command: `echo ${text}` }] }];
  const { run } = putToWork(createHooks({ pre_tool_use: saying('before'), post_tool_use: saying('after') }));
  for (const [type, text] of [
    ['PreToolUse', 'before'],
    ['PostToolUse', 'after'],
  ] as const) {
    const { events } = await run({ type, toolName: 'terminal', toolInput: { command: 'ls' } });
    expect(events.map((event) => stored(event).stdout)).toEqual([`${text}\n`]);
    expect((await run({ type, toolName: 'file_editor', toolInput: {} })).events).toEqual([]);
  }
});

test('a command reads what happens as one line of JSON', async () => {
  const hooks = createHooks({
    postToolUse: [{ hooks: [{ command: 'cat' }] }],
    stop: [{ hooks: [{ command: 'cat' }] }],
  });
  const { run, folder, conversationId } = putToWork(hooks);
  const told = async (occasion: HookOccasion): Promise<HookInput> => {
    const { stdout = '' } = stored((await run(occasion)).events[0]);
    expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
    return JSON.parse(stdout);
  };
  const common = { session_id: conversationId, working_dir: folder };
  const used = { toolName: 'terminal', toolInput: { command: 'ls\n' }, toolResponse: { text: 'ä' }, actionId: 'a' };
  expect(await told({ type: 'PostToolUse', ...used })).toEqual({
    ...common,
    event_type: 'PostToolUse',
    tool_name: 'terminal',
    tool_input: { command: 'ls\n' },
    tool_response: { text: 'ä' },
    message: null,
    metadata: { action_id: 'a' },
  });
  expect(await told({ type: 'Stop', message: 'done', messageId: 'm', stopHookActive: true })).toEqual({
    ...common,
    event_type: 'Stop',
    tool_name: null,
    tool_input: null,
    tool_response: null,
    message: 'done',
    metadata: { message_id: 'm', reason: 'agent_finished', stop_hook_active: true },
  });
});

test('P9: a secret reaches the hook that names it, not the next one', async () => {
  const secrets = secretsOf({ DEPLOY_TOKEN: VALUE });
  const hooks = createHooks({
    userPromptSubmit: [
      { hooks: [{ command: 'test "$DEPLOY_TOKEN" = correct-horse-battery && echo same' }, { command: 'env' }] },
    ],
  });
  const { events } = await putToWork(hooks, { secrets }).run(prompt);
  expect(stored(events[0]).stdout).toBe('same\n');
  expect(stored(events[1]).stdout).toContain('OPENHANDS_EVENT_TYPE');
  expect(stored(events[1]).stdout).not.toContain('DEPLOY_TOKEN');
  expect(secrets.named).toEqual(['DEPLOY_TOKEN']);
});

test('P9: nothing that a hook prints, says or is called leaves with a value of a secret', async () => {
  const secrets = secretsOf({ DEPLOY_TOKEN: VALUE });
  const command =
    `echo "$DEPLOY_TOKEN" >&2; printf '{"decision":"deny","reason":"r %s","additionalContext":"c %s"}' ` +
    `"$DEPLOY_TOKEN" ${VALUE}`;
  const hooks = createHooks({ userPromptSubmit: [{ hooks: [{ command }] }] });
  const outcome = await putToWork(hooks, { secrets }).run(prompt);
  expect(outcome).toMatchObject({
    blocked: true,
    reason: `r ${SECRET_MASK}`,
    additionalContext: `c ${SECRET_MASK}`,
  });
  expect(stored(outcome.events[0])).toMatchObject({ stderr: `${SECRET_MASK}\n` });
  expect(JSON.stringify(outcome)).not.toContain(VALUE);
});

test('P9: output is masked before it is cut, a value at the cut too', async () => {
  const secrets = secretsOf({ DEPLOY_TOKEN: VALUE });
  for (const length of [49_900, 49_960, 49_990, 262_144 - 10]) {
    const command = `head -c ${length} /dev/zero | tr '\\0' x; echo "$DEPLOY_TOKEN$DEPLOY_TOKEN"; echo more`;
    const hooks = createHooks({ userPromptSubmit: [{ hooks: [{ command }] }] });
    const { stdout = '' } = stored((await putToWork(hooks, { secrets }).run(prompt)).events[0]);
    expect(stdout.length).toBeLessThanOrEqual(50_000);
    expect(stdout).not.toContain('corre');
  }
});

test('P9: the input of hooks is masked, names of members too, and so is what events keep of it', async () => {
  const secrets = secretsOf({ DEPLOY_TOKEN: VALUE });
  let told: HookInput | undefined;
  const hooks = createHooks({
    postToolUse: [
      {
        hooks: [
          { command: 'cat # DEPLOY_TOKEN' },
          { type: 'function', name: 'f', run: (input) => void (told = input) },
          { type: 'function', name: 'g', run: () => Promise.reject(new Error(`refused: ${VALUE}`)) },
        ],
      },
    ],
  });
  const toolInput = { headers: [{ [VALUE]: `Bearer ${VALUE}`, [SECRET_MASK]: 'another' }] };
  const outcome = await putToWork(hooks, { secrets }).run({
    type: 'PostToolUse',
    toolName: 'fetch',
    toolInput,
    toolResponse: { text: VALUE },
  });
  expect(JSON.stringify([outcome, told])).not.toContain(VALUE);
  expect(told?.tool_input).toEqual({
    headers: [{ [SECRET_MASK]: `Bearer ${SECRET_MASK}`, [`${SECRET_MASK} 2`]: 'another' }],
  });
  expect(stored(outcome.events[2]).error).toBe(`refused: ${SECRET_MASK}`);
});

test('a secret without a value is told of and does not make the hook fail', async () => {
  const hooks = createHooks({ userPromptSubmit: [{ hooks: [{ command: 'echo "$LOST"' }] }] });
  const { events } = await putToWork(hooks, { secrets: secretsOf({}) }).run(prompt);
  expect(stored(events[0])).toMatchObject({
    success: true,
    error: 'the secret LOST has no value: its source does not answer',
  });
});

test('P9: a masker that fails hides everything, and a hook that cannot be told anything safe has failed', async () => {
  const secrets = secretsOf({});
  const broken = {
    ...secrets,
    masker: {
      version: 1,
      mask: () => {
        throw new Error('out of order');
      },
      stream: () => {
        throw new Error('out of order');
      },
    },
  };
  const hooks = createHooks({
    onError: 'deny',
    userPromptSubmit: [{ hooks: [{ command: 'cat; echo word', name: 'n' }] }],
  });
  const outcome = await putToWork(hooks, { secrets: broken }).run({ ...prompt, message: 'a plain text' });
  expect(outcome).toMatchObject({ blocked: true, reason: SECRET_MASK });
  expect(stored(outcome.events[0])).toMatchObject({ success: false, hook_command: SECRET_MASK, error: SECRET_MASK });
});

test('an interrupt ends the wait for a secret', async () => {
  const interrupt = new AbortController();
  const secrets = {
    ...secretsOf({}),
    environmentFor: () => {
      interrupt.abort('enough');
      return new Promise<never>(() => undefined);
    },
  };
  const hooks = createHooks({ userPromptSubmit: [{ hooks: [{ command: 'true' }] }] });
  await expect(putToWork(hooks, { secrets }).run(prompt, interrupt.signal)).rejects.toBe('enough');
});
