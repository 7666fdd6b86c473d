import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadAgentDefinitions, loadProjectAgentDefinitions } from '../../src/index.ts';

/** A folder of this test's own with these files. */
async function folder(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'conv-agents-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}

const plain = (description: string): string => `---\ndescription: ${description}\n---\n`;

describe('sub-agents in files', () => {
  test('sub-agents in files say everything that a definition can, and a prompt', async () => {
    const directory = await folder({
      'reviewer.md': `---
name: code-reviewer
description: |
  Reads a change.
  <example>Review this.</example>
model: fast
tools: [terminal, file_editor]
skills: style, wording
permission_mode: confirm_risky
max_iteration_per_run: 20
max_budget_per_run: 0.5
hooks: { pre_tool_use: [] }
mcp_servers: { files: { command: server } }
color: blue
when_to_use_examples: [Review this.]
condenser: null
---

You review code.
`,
    });
    expect(await loadAgentDefinitions(directory)).toEqual([
      {
        name: 'code-reviewer',
        description: 'Reads a change.\n<example>Review this.</example>',
        model: 'fast',
        tools: ['terminal', 'file_editor'],
        skills: ['style', 'wording'],
        permissionMode: 'confirm_risky',
        maxIterations: 20,
        maxBudget: 0.5,
        hooks: { pre_tool_use: [] },
        mcpServers: { files: { command: 'server' } },
        systemPrompt: 'You review code.',
        source: join(directory, 'reviewer.md'),
        extra: {
          color: 'blue',
          when_to_use_examples: ['Review this.'],
          metadata: { when_to_use_examples: ['Review this.'] },
        },
      },
    ]);
  });

  test('sub-agents have the name of their file unless they say another, in the order of the files', async () => {
    const directory = await folder({ 'b.md': plain('B'), 'a.MD': plain('A'), 'README.md': 'About.', 'c.txt': 'C' });
    expect((await loadAgentDefinitions(directory)).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test.each<[string, string, string]>([
    ['no description', 'Just a prompt.', 'description'],
    ['a mode that is none', '---\ndescription: x\npermission_mode: sometimes\n---\n', 'permission_mode'],
    ['no turns', '---\ndescription: x\nmax_iteration_per_run: 0\n---\n', 'max_iteration_per_run'],
    ['no money', '---\ndescription: x\nmax_budget_per_run: -1\n---\n', 'max_budget_per_run'],
    ['a name that would break the prompt', '---\nname: "<b>"\ndescription: x\n---\n', 'name'],
    ['servers that are none', '---\ndescription: x\nmcp_servers: { files: yes }\n---\n', 'mcp_servers.files'],
    ['front matter that is no YAML', '---\ndescription: [\n---\n', 'line 2'],
    ['more than anybody reads', `---\ndescription: x\n---\n${'x'.repeat(70_000)}`, '65536'],
  ])('P13: sub-agents with %s are refused by the file and the field', async (_, content, field) => {
    const directory = await folder({ 'good.md': plain('Good'), 'wrong.md': content });
    await expect(loadAgentDefinitions(directory)).rejects.toMatchObject({
      code: 'INVALID_AGENT',
      message: expect.stringContaining(`${join(directory, 'wrong.md')}: `) as string,
    });
    await expect(loadAgentDefinitions(directory)).rejects.toThrow(field);
  });

  test('P13: sub-agents with one name are refused by both files; a folder that is not there is named', async () => {
    const directory = await folder({ 'a.md': plain('A'), 'b.md': '---\nname: a\ndescription: B\n---\n' });
    await expect(loadAgentDefinitions(directory)).rejects.toThrow(
      `${join(directory, 'b.md')}: name: ${join(directory, 'a.md')} has the same`,
    );
    await expect(loadAgentDefinitions(join(directory, 'none'))).rejects.toMatchObject({ code: 'INVALID_AGENT' });
  });

  test("sub-agents that are links out of a project are refused, and links in the user's home are followed", async () => {
    const outside = await folder({ 'one.md': plain('the secret') });
    const [project, home] = [
      await folder({ '.agents/agents/README.md': '' }),
      await folder({ '.agents/agents/README.md': '' }),
    ];
    for (const place of [project, home]) await symlink(join(outside, 'one.md'), join(place, '.agents/agents/one.md'));
    const error: unknown = await loadProjectAgentDefinitions(project, { home: null }).catch(
      (refused: unknown) => refused,
    );
    expect(error).toMatchObject({
      code: 'INVALID_AGENT',
      message: expect.stringContaining('found a link to') as string,
    });
    expect(String(error)).not.toContain('the secret');
    expect(await loadProjectAgentDefinitions(await folder(), { home })).toHaveLength(1);
  });

  test('sub-agents of a project come before those of its user, and the first of one name is taken', async () => {
    const project = await folder({
      '.agents/agents/one.md': plain('of the project'),
      '.openhands/agents/one.md': plain('too late'),
      '.openhands/agents/two.md': plain('of the project, too'),
    });
    const home = await folder({
      '.openhands/agents/two.md': plain('too late'),
      '.openhands/agents/three.md': plain('of the user'),
    });
    const found = await loadProjectAgentDefinitions(project, { home });
    expect(found.map(({ name, description }) => [name, description])).toEqual([
      ['one', 'of the project'],
      ['two', 'of the project, too'],
      ['three', 'of the user'],
    ]);
    expect(await loadProjectAgentDefinitions(project, { home: null })).toHaveLength(2);
    expect(await loadProjectAgentDefinitions(await folder(), { home: await folder() })).toEqual([]);
  });
});

describe('sub-agents that are found', () => {
  test('sub-agents that are found say where they were found, and a project may be left out', async () => {
    const project = await folder({ '.agents/agents/a.md': plain('of the project') });
    const home = await folder({ '.openhands/agents/b.md': plain('of the user') });
    const levels = async (directory: string | null): Promise<unknown> =>
      (await loadProjectAgentDefinitions(directory, { home })).map(({ name, level }) => [name, level]);
    expect(await levels(project)).toEqual([
      ['a', 'project'],
      ['b', 'user'],
    ]);
    expect(await levels(null)).toEqual([['b', 'user']]);
  });

  test('sub-agents are found beside files that cannot be used, which are told', async () => {
    const project = await folder({
      '.agents/agents/bad.md': '---\ndescription: [\n---\n',
      '.agents/agents/good.md': plain('good'),
      '.agents/agents/same.md': '---\nname: good\ndescription: again\n---\n',
    });
    execFileSync('mkfifo', [join(project, '.agents/agents/pipe.md')]);
    const left: string[] = [];
    const found = await loadProjectAgentDefinitions(project, {
      home: null,
      leaveOut: (error) => left.push(basename(/agent (\S+):/.exec(error.text)?.[1] ?? '')),
    });
    expect(found.map(({ name }) => name)).toEqual(['good']);
    expect(left).toEqual(['bad.md', 'pipe.md', 'same.md']);
  });

  test.each([
    ['none', { kind: 'NoOpCondenser' }],
    ['false', { kind: 'NoOpCondenser' }],
    ['default', undefined],
    ['{ kind: NoOpCondenser }', { kind: 'NoOpCondenser' }],
  ])('the condenser %j is what OpenHands takes it for', async (text, condenser) => {
    const directory = await folder({ 'a.md': `---\ndescription: a\ncondenser: ${text}\n---\n` });
    const [definition] = await loadAgentDefinitions(directory);
    expect(definition?.condenser).toEqual(condenser);
  });
});
