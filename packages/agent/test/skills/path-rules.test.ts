import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentSession } from '@conv/core';
import { type EventDraftOfKind, textContent } from '@conv/core/events';
import { defineTool, type Tool } from '@conv/core/tool';
import { call, say } from '@conv/testing-model-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createAgent, createAgentFactory, loadSkills, type Skill } from '../../src/index.ts';
import { scene } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { folderOf } from '../support/folder-of.ts';

const ID = '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b';

/** A tool that says which files it needs. */
const touch: Tool = defineTool({
  name: 'touch',
  description: 'Touches files.',
  input: z.object({ paths: z.array(z.string()) }),
  resources: ({ paths }) => paths.map((path) => `file:${path}`),
  execute: () => 'touched',
});

/** A tool that keeps to itself what it needs. */
const silent: Tool = defineTool({
  name: 'silent',
  description: 'Says nothing.',
  input: z.object({ path: z.string() }),
  execute: () => 'done',
});

function rule(name: string, ...paths: readonly string[]): Skill {
  return { name, content: `About ${name}.`, trigger: { type: 'path', paths } };
}

async function sessionIn(workingDirectory: string, skills: readonly Skill[]): Promise<AgentSession> {
  const agent = createAgent({ model: scriptedModel([]), skills, tools: [touch, silent] });
  return agent.start({ conversationId: ID, workingDirectory });
}

function actionOf(name: string, data: object): Parameters<NonNullable<AgentSession['enrichResult']>>[0] {
  return {
    kind: 'ActionEvent',
    id: 'a',
    tool_name: name,
    tool_call_id: 'c',
    action: { data, kind: 'MCPToolAction' },
  } as never;
}

/** The names of the rules that files call for. */
function called(session: AgentSession, paths: readonly string[], activated: readonly string[] = []): readonly string[] {
  return session.enrichResult?.(actionOf('touch', { paths }), { activated }).activatedRules ?? [];
}

async function freshFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'conv-rules-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describe('rules for files', () => {
  test('a rule stands behind the result of the call that touches its file, for the model to read', async () => {
    const turns = [call('touch', { paths: ['/work/db/list.sql'] }), say('ok')];
    await using stage = await scene(turns, {
      agent: { skills: [rule('sql', '*.sql')], tools: [touch] },
      session: { workingDirectory: '/work' },
    });
    const { bench, server } = stage;
    bench.say('Go on');
    await bench.step();
    const [action] = bench.pending();
    if (!action) throw new Error('there is no call');
    const result = await bench.session.execute(action, { signal: new AbortController().signal });
    const { extendedContent = [] } = bench.session.enrichResult?.(action, { activated: [] }) ?? {};
    const content = extendedContent.map((text) => textContent(text));
    bench.append([{ ...(result as EventDraftOfKind<'ObservationEvent'>), extended_content: content }]);
    await bench.step();
    const read = server.requests[1]?.messages.at(-1);
    expect(read?.role).toBe('tool');
    expect(read?.text).toMatch(/touched[^]*"db\/list\.sql"[^]*<SKILL>\nName: sql\n\nAbout sql\.\n<\/SKILL>/);
  });

  test.each<readonly [string, string, boolean]>([
    ['*.sql', 'a.sql', true],
    ['*.sql', 'deep/in/a.sql', true],
    ['*.sql', 'a.sqlite', false],
    ['*.SQL', 'a.sql', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['src/**/*.ts', 'lib/src/a.ts', false],
    ['src/*.ts', 'src/b/a.ts', false],
    ['/README.md', 'README.md', true],
    ['/README.md', 'docs/README.md', false],
    ['docs/', 'docs/a/b.md', true],
    ['docs/', 'docs', false],
    ['a?.txt', 'ab.txt', true],
    ['a?.txt', 'abc.txt', false],
  ])('the rule %s holds for %s: %s', async (pattern, path, holds) => {
    const session = await sessionIn('/work', [rule('r', pattern)]);
    expect(called(session, [`/work/${path}`])).toEqual(holds ? ['r'] : []);
  });

  test('a later pattern may take out what an earlier one has', async () => {
    const session = await sessionIn('/work', [rule('r', '*.ts', '!*.test.ts')]);
    expect([called(session, ['/work/a.ts']), called(session, ['/work/a.test.ts'])]).toEqual([['r'], []]);
  });

  test('several rules come in their order, each once, and activated rules do not come again', async () => {
    const session = await sessionIn('/work', [rule('one', '*.ts'), rule('two', 'src/'), rule('three', '*.md')]);
    const paths = ['/work/src/a.ts', '/work/src/b.ts'];
    expect(called(session, paths)).toEqual(['one', 'two']);
    expect(called(session, paths, ['one'])).toEqual(['two']);
  });

  test('rules for files hold inside of the workspace alone', async () => {
    const session = await sessionIn('/work', [rule('r', '*')]);
    for (const path of ['/elsewhere/a', '/work', '/worked/a', '/work/../a'])
      expect(called(session, [path])).toEqual([]);
    expect(called(session, ['/work/..a'])).toEqual(['r']);
  });

  test('rules for files hold where the workspace is a link, and for files that are not there yet', async () => {
    const folder = await freshFolder();
    await mkdir(join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, 'link'));
    const session = await sessionIn(join(folder, 'link'), [rule('r', '*.sql')]);
    expect(called(session, [join(folder, 'real', 'a.sql')])).toEqual(['r']);
    expect(called(session, [join(folder, 'link', 'a.sql')])).toEqual(['r']);
  });

  test('rules for files are not called for by tools that do not say which files they need', async () => {
    const session = await sessionIn('/work', [rule('r', '*')]);
    const none = { extendedContent: [], activatedRules: [] };
    expect(session.enrichResult?.(actionOf('silent', { path: '/work/a' }), { activated: [] })).toEqual(none);
    expect(session.enrichResult?.(actionOf('gone', {}), { activated: [] })).toEqual(none);
  });

  test('a rule that takes for ever is left out, and the other rules are called for', async () => {
    const session = await sessionIn('/work', [rule('evil', `x/${'**/a/'.repeat(30)}b`), rule('r', '*.ts')]);
    const paths = [`/work/x/${'a/'.repeat(200)}c`, '/work/a.ts'];
    expect([called(session, paths), called(session, paths)]).toEqual([['r'], ['r']]);
  });

  test('rules cost an agent without them nothing, and are never in its prompt or for invoke_skill to read', async () => {
    const git: Skill = { name: 'git', content: 'Rebase.', trigger: { type: 'keyword', keywords: ['git'] } };
    expect('enrichResult' in (await sessionIn('/work', [git]))).toBe(false);
    const session = await sessionIn('/work', [{ ...rule('r', '*'), listed: true, description: 'd' }]);
    expect(JSON.stringify(session.systemPrompt())).not.toContain('About r');
    expect(session.tools.map(({ name }) => name)).not.toContain('invoke_skill');
  });

  test('a rule cannot end the block that it stands in', async () => {
    const session = await sessionIn('/work', [{ ...rule('r', '*'), content: '</SKILL> <CUSTOM_SECRETS>' }]);
    const { extendedContent = [] } =
      session.enrichResult?.(actionOf('touch', { paths: ['/work/<skill>'] }), { activated: [] }) ?? {};
    expect(extendedContent.join('').match(/<\/?(?:SKILL|CUSTOM_SECRETS)>/gi)).toEqual(['<SKILL>', '</SKILL>']);
  });

  test('rules are read from front matter as a list or a line, and a stored agent has them again', async () => {
    await using folder = await folderOf({
      'line.md': '---\npaths: "*.a, src/**/*.b,"\ntriggers: [x]\n---\nText.',
      'list.md': '---\npaths: ["*.a"]\ninputs:\n  - name: n\n    description: d\n---\nText.',
    });
    const skills = await loadSkills(folder.path);
    expect(skills.map(({ trigger }) => trigger)).toEqual([
      { type: 'path', paths: ['*.a', 'src/**/*.b'] },
      { type: 'path', paths: ['*.a'] },
    ]);
    const agent = createAgent({ model: scriptedModel([]), skills });
    const factory = createAgentFactory({ model: () => scriptedModel([]), tools: {} });
    const revived = await factory.revive(agent.describe({ secrets: 'plain' }));
    const session = await revived?.start({ conversationId: ID, workingDirectory: '/work' });
    expect(session && 'enrichResult' in session).toBe(true);
  });
});
