import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { inCi } from '@conv/testing-harness';
import { createModelServer, type ModelRequest, say } from '@conv/testing-model-server';
import { describe, expect, onTestFinished, test } from 'vitest';

import { conv, onlyId, type Setting } from './command.ts';
import { newFolder } from './new-folder.ts';

const VALUE = 'tok_4f9c1e77aa02bd31';
/** The folder with the program of the server, which a sandbox shows only when it is told to. */
const PACKAGES = join(import.meta.dirname, '../../../node_modules');
const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/** A folder with these files. */
function folderWith(files: Readonly<Record<string, string>>): Setting {
  const cwd = newFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return { cwd };
}

const servers = `mcpServers:
  everything: { command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(EVERYTHING)}] }
`;

const project = {
  'project/AGENTS.md': 'Measure twice, cut once.',
  'project/.openhands/skills/fruit.md': '---\ntriggers: [banana]\n---\nA banana is a berry.',
  'settings/conv.yaml': `# what the agent has\nskills: [skills]\nsandboxRead: [${JSON.stringify(PACKAGES)}]\n${servers}`,
  'settings/skills/deploy/SKILL.md': '---\nname: deploy\ndescription: How to deploy.\n---\nRun make deploy.',
};

/** Returns the requests that a model server received. */
async function served(run: (env: Record<string, string>) => Promise<unknown>): Promise<readonly ModelRequest[]> {
  const server = await createModelServer({ script: () => say('Fine.') });
  onTestFinished(() => server.close());
  await run({ LLM_MODEL: 'openai/local', LLM_BASE_URL: server.url });
  expect(server.violations).toEqual([]);
  return server.requests;
}

test('MCP servers, a folder of skills and the AGENTS.md of the workspace work, and resume has them again', async () => {
  const setting = folderWith(project);
  const given = ['--workspace', 'project', '--config', 'settings/conv.yaml'];
  const first = await conv(setting, 'run', 'a banana: `@get-sum {"a": 2, "b": 3}`', ...given);
  expect(first.stderr).toContain('MCP servers: everything');
  expect(first.stderr).toContain('skills: AGENTS.md, fruit, deploy');
  expect(first.stdout).toContain('The sum of 2 and 3 is 5.');
  expect(first.exitCode).toBe(0);
  const id = await onlyId(setting);
  const { stdout } = await conv(setting, 'messages', id);
  for (const text of ['Measure twice, cut once.', 'How to deploy.', 'A banana is a berry.'])
    expect(stdout).toContain(text);
  const skill = '`@get-sum {"a": 2, "b": 4}` `@invoke_skill {"name": "deploy"}`';
  const again = await conv(setting, 'resume', id, skill, '--sandbox-read', PACKAGES);
  expect(again.stderr).toContain('MCP servers: everything');
  expect(again.stderr).toContain('skills: AGENTS.md, fruit, deploy');
  expect(again.stdout).toContain('The sum of 2 and 4 is 6.');
  expect(again.stdout).toContain('Run make deploy.');
  expect(again.exitCode).toBe(0);
});

test('sub-agents of a folder and of the workspace can be given tasks, and a task can be taken up again', async () => {
  const setting = folderWith({
    'conv.yaml': 'agents: [helpers]',
    'helpers/counter.md': '---\ndescription: Counts.\ntools: [terminal]\n---\nCount what you are asked for.',
    'project/.openhands/agents/reader.md': '---\ndescription: Reads.\n---\nRead.',
  });
  const ask = (more: object): string =>
    `@task ${JSON.stringify({ prompt: 'echo hello', subagent_type: 'counter', ...more })}`;
  const first = await conv(setting, 'run', `\`${ask({})}\``, '--workspace', 'project', '--config', 'conv.yaml');
  expect(first.stdout).toContain('the last result begins with');
  expect(first.exitCode).toBe(0);
  const list = JSON.parse((await conv(setting, 'list', '--json')).stdout) as { id: string; parentId: string | null }[];
  const parent = list.find(({ parentId }) => parentId === null)?.id ?? '';
  const child = list.find(({ parentId }) => parentId === parent)?.id ?? '';
  expect(list).toHaveLength(2);
  expect((await conv(setting, 'list')).stdout).toContain('↳');
  const tools = JSON.stringify((await conv(setting, 'show', parent, '--json')).stdout);
  for (const name of ['counter: Counts.', 'reader: Reads.', 'general-purpose']) expect(tools).toContain(name);
  const general = ask({ resume: child, subagent_type: 'general-purpose' });
  const again = await conv(setting, 'resume', parent, `\`${general}\``);
  expect(again.stdout).toContain('I am a script');
  expect(again.stdout).not.toContain('✗');
  expect(again.exitCode).toBe(0);
  expect(JSON.parse((await conv(setting, 'list', '--json')).stdout)).toHaveLength(2);
});

test('resume with a configuration has what it says now, and keeps the rest', async () => {
  const setting = folderWith(project);
  await conv(setting, 'run', 'hello', '--workspace', 'project', '--config', 'settings/conv.yaml');
  const id = await onlyId(setting);
  writeFileSync(
    join(setting.cwd, 'other.yaml'),
    `project: false\nskills: []\nmaxIterations: 1\nsandboxRead: [${JSON.stringify(PACKAGES)}]`,
  );
  const again = await conv(setting, 'resume', id, '`@get-sum {"a": 2, "b": 4}`', '--config', 'other.yaml');
  expect(again.stderr).toContain('MCP servers: everything');
  expect(again.stderr).not.toContain('skills:');
  expect(again.stdout).toContain('The sum of 2 and 4 is 6.');
  expect(again.stdout + again.stderr).toContain('(1)');
  expect(again.exitCode).toBe(1);
});

test('options of the command line win over the file', async () => {
  const config = {
    model: { name: 'openai/other' },
    tools: ['terminal', 'file_editor'],
    maxIterations: 1,
    toolConcurrency: 2,
  };
  const setting = folderWith({ 'conv.json': JSON.stringify(config) });
  const task = '`true` `true`';
  const requests = await served(async (env) => {
    const more = ['--max-iterations', '5', '--tools', 'terminal', '--tool-concurrency', '4'];
    const { exitCode, stderr } = await conv({ ...setting, env }, 'run', task, '--config', 'conv.json', ...more);
    expect(stderr).toContain('model openai/local');
    expect(exitCode).toBe(0);
  });
  expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['terminal', 'finish', 'think']);
});

test('a model of the file is asked when the environment names none', async () => {
  const setting = folderWith({});
  const requests = await served(async ({ LLM_BASE_URL: baseUrl }) => {
    writeFileSync(
      join(setting.cwd, 'conv.yaml'),
      `model: { name: openai/from-file, baseUrl: ${JSON.stringify(baseUrl)} }`,
    );
    const { stderr, exitCode } = await conv(setting, 'run', 'hello', '--config', 'conv.yaml');
    expect(stderr).toContain('model openai/from-file');
    expect(exitCode).toBe(0);
    const { exitCode: again } = await conv(setting, 'resume', await onlyId(setting), 'more', '--config', 'conv.yaml');
    expect(again).toBe(0);
  });
  expect(requests.map(({ model }) => model)).toEqual(['from-file', 'from-file']);
});

test('P10: a policy of the file asks, and a secret of the file is hidden', async () => {
  const setting = {
    ...folderWith({ 'conv.yaml': 'confirmationPolicy: always\nsecrets: [DEPLOY_TOKEN]' }),
    env: { DEPLOY_TOKEN: VALUE },
  };
  const first = await conv(setting, 'run', '`echo $DEPLOY_TOKEN`', '--config', 'conv.yaml');
  expect(first.exitCode).toBe(8);
  const second = await conv(setting, 'resume', await onlyId(setting), '--approve', '--config', 'conv.yaml');
  expect(second.stdout).toContain('<secret-hidden>');
  expect(second.stdout).not.toContain(VALUE);
  expect(second.exitCode).toBe(0);
});

test('a configuration in the folder is not used unasked, because it starts programs, and run says so', async () => {
  const setting = folderWith({ 'conv.config.json': JSON.stringify({ maxIterations: 1 }) });
  const { stderr, exitCode } = await conv(setting, 'run', '`true` `true`');
  expect(stderr).toContain('conv.config.json is not used without --config conv.config.json');
  expect(exitCode).toBe(0);
});

describe('P13: what is wrong with a configuration is told with file, line and member, without its values', () => {
  const mistakes: readonly [string, string, RegExp][] = [
    [
      'an unknown member',
      '{\n"maxIteration": 3\n}',
      /line 2: maxIteration: unknown member; did you mean maxIterations\?/,
    ],
    [
      'several at once',
      'budget: -1\nskills: here\ntools: [telepathy]',
      /line 1: budget: must be a number above 0; line 2: skills: must be a list of folders; line 3: tools\.0: must be one of terminal/,
    ],
    [
      'a key beside the model',
      `model:\n  name: x\n  apiKey: ${VALUE}`,
      /line 3: model\.apiKey: unknown member; expected one of name, baseUrl, contextWindow/,
    ],
    ['a misspelt member', 'tolls: [terminal]', /line 1: tolls: unknown member; did you mean tools\?/],
    [
      'a misspelt member of a model',
      'model: { name: x, baseurl: y }',
      /line 1: model\.baseurl: unknown member; did you mean baseUrl\?/,
    ],
    ['a member that is like none', 'telepathy: true', /unknown member; expected one of model, tools,/],
    ['a model that is none', `model: [${VALUE}]`, /line 1: model: must be a name such as openai\/gpt-5.*LLM_API_KEY/],
    [
      'a server without a command',
      `mcpServers:\n  s:\n    comand: ${VALUE}`,
      /line \d: mcpServers: .*s: needs either a command or a url/,
    ],
    [
      'a policy that nobody knows',
      `confirmationPolicy: ${VALUE}`,
      /confirmationPolicy: must be one of never, always, risky/,
    ],
    ['no text of either kind', `{"a": "${VALUE}`, /line 1: expected JSON or YAML/],
    [
      'a name that stands for nothing',
      `maxIterations: 3\nmodel: *${VALUE}`,
      /line 2: an alias is undefined or expands to too much \(ALIAS\)/,
    ],
    [
      'names that make a small file a big one',
      [
        'a: &a [x, x]',
        ...Array.from({ length: 20 }, (_, n) => `b${n}: &b${n} [${`*${n === 0 ? 'a' : `b${n - 1}`}, `.repeat(9)}]`),
      ].join('\n'),
      /line \d+: an alias is undefined or expands to too much \(ALIAS\)/,
    ],
    ['members whose names are objects', `{ ? { a: 1 } : 2 }`, /line 1: \{ a: 1 \}: unknown member/],
    ['a list', `- ${VALUE}`, /must be an object with members/],
    [
      'a folder of sub-agents that is not there',
      'agents: [missing]',
      /agent folder .*missing: there is no such folder/,
    ],
    ['a folder of skills that is not there', 'skills: [missing]', /skill folder .*missing: there is no such folder/],
  ];

  // all are found by the same reading
  test.each(inCi(mistakes, 3))('%s', async (_, text, message) => {
    const setting = folderWith({ 'conv.yaml': text });
    const { stdout, stderr, exitCode } = await conv(setting, 'run', 'hello', '--config', 'conv.yaml');
    expect(stderr).toMatch(message);
    expect(stdout + stderr).not.toContain(VALUE);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(exitCode).toBe(2);
  });

  test('P13: a configuration file that is not there is told by its name', async () => {
    const { stderr, exitCode } = await conv(folderWith({}), 'resume', 'abcd', '--config', 'conv.yaml');
    expect(stderr).toContain('no conversation begins with abcd');
    expect(exitCode).toBe(3);
    const run = await conv(folderWith({}), 'run', 'hello', '--config', 'conv.yaml');
    expect(run.stderr).toContain('the configuration conv.yaml cannot be read: ENOENT');
    expect(run.exitCode).toBe(2);
  });
});

test('JSON with tabs and an empty file are configurations', async () => {
  const setting = folderWith({ 'tabs.json': '{\n\t"maxIterations":\t9,\n\t"skills": []\n}', 'empty.yaml': '' });
  for (const file of ['tabs.json', 'empty.yaml'])
    expect((await conv(setting, 'run', '`true`', '--config', file)).exitCode).toBe(0);
});
