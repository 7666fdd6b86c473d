import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { describe, expect, onTestFinished, test } from 'vitest';

import { newConversation, startServer, type TestServer } from '../support/test-server.ts';

/** A folder of this test's own, removed after it. */
function freshFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-worktree-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function git(folder: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** A repository with a commit in it, a folder `docs`, and a file that is not committed. */
function repository(): string {
  const folder = join(freshFolder(), 'project');
  mkdirSync(join(folder, 'docs'), { recursive: true });
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'README.md'), 'first\n');
  writeFileSync(join(folder, 'docs', 'guide.md'), 'guide\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
  writeFileSync(join(folder, 'unsaved.txt'), 'mine\n');
  return folder;
}

/** Returns a path with a wrapper before the real git: `branch` is a case of its shell script, with the arguments to match. */
function gitThat(branch: string): string {
  const folder = freshFolder();
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh\nREAL='${real}'\ncase " $* " in ${branch} esac\nexec "$REAL" "$@"\n`;
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 });
  return `${folder}:${process.env['PATH'] ?? ''}`;
}

interface Bench {
  readonly server: TestServer;
  /** The folder of the worktrees. */
  readonly folder: string;
  readonly start: (
    working: string,
    more?: JsonObject,
  ) => Promise<{ readonly status: number; readonly body: ConversationInfo }>;
  readonly remove: (id: string) => Promise<void>;
}

async function bench({ PATH = '' } = process.env): Promise<Bench> {
  const folder = join(freshFolder(), 'worktrees');
  const server = await startServer({ worktrees: { folder, environment: { PATH } } });
  const start: Bench['start'] = (working, more = {}) =>
    server.call<ConversationInfo>('POST', '/api/conversations', {
      ...newConversation(server.folder),
      workspace: { working_dir: working },
      worktree: true,
      ...more,
    });
  const remove = async (id: string): Promise<void> => {
    expect((await server.call('DELETE', `/api/conversations/${id}`)).status).toBe(200);
  };
  return { server, folder, start, remove };
}

describe('worktree: true', () => {
  test("a worktree is a checkout on its own branch, and leaves the user's checkout alone", async () => {
    const { server, folder, start } = await bench();
    const project = repository();
    const { status, body } = await start(join(project, 'docs'));
    expect(status).toBe(201);
    const root = join(folder, body.id, 'project');
    expect(body.workspace).toMatchObject({ working_dir: join(root, 'docs') });
    expect(git(root, 'branch', '--show-current')).toBe(`openhands/${body.id}`);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toBe('first\n');
    expect(existsSync(join(root, 'unsaved.txt'))).toBe(false);
    expect(git(project, 'branch', '--show-current')).toBe('main');
    expect(git(project, 'status', '--porcelain')).toBe('?? unsaved.txt');
    const { agent } = (await server.info(body.id)) as { readonly agent: JsonObject };
    expect(JSON.stringify(agent['agent_context'])).toContain(root);
  });

  test('a worktree begins at the known default branch of origin, whatever is checked out', async () => {
    const { start } = await bench();
    const origin = repository();
    const project = join(freshFolder(), 'clone');
    git(origin, 'clone', '-q', origin, project);
    git(project, 'switch', '-q', '-c', 'mine');
    git(project, 'commit', '-q', '--allow-empty', '-m', 'mine');
    const { body } = await start(project);
    const { working_dir: working } = body.workspace as { readonly working_dir: string };
    expect(git(working, 'log', '--format=%s')).toBe('first');
  });

  test('a worktree without a repository or a commit is the folder itself', async () => {
    const { start, folder } = await bench();
    const plain = freshFolder();
    const empty = freshFolder();
    git(empty, 'init', '-q');
    for (const working of [plain, empty]) {
      const { status, body } = await start(working);
      expect(status).toBe(201);
      expect(body.workspace).toMatchObject({ working_dir: working });
    }
    expect(existsSync(folder)).toBe(false);
  });

  test('a worktree without work is removed with the conversation, branch included', async () => {
    const { start, remove, folder } = await bench();
    const project = repository();
    const { body } = await start(project);
    await remove(body.id);
    expect(existsSync(join(folder, body.id))).toBe(false);
    expect(git(project, 'branch', '--list', 'openhands/*')).toBe('');
    expect(git(project, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  test('a worktree keeps the work of a deleted conversation on its branch, committed or not', async () => {
    const { start, remove, folder } = await bench();
    const project = repository();
    const { body } = await start(project);
    const root = join(folder, body.id, 'project');
    writeFileSync(join(root, 'made.txt'), 'by the agent\n');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'made');
    writeFileSync(join(root, 'more.txt'), 'not committed\n');
    await remove(body.id);
    expect(existsSync(join(folder, body.id))).toBe(false);
    expect(git(project, 'show', `openhands/${body.id}:made.txt`)).toBe('by the agent');
    expect(git(project, 'show', `openhands/${body.id}:more.txt`)).toBe('not committed');
    const again = await start(project, { conversation_id: body.id });
    expect(git(join(folder, body.id, 'project'), 'branch', '--show-current')).toBe(`openhands/${again.body.id}-2`);
  });

  test('a worktree keeps a commit that no branch has', async () => {
    const { start, remove, folder } = await bench();
    const project = repository();
    const { body } = await start(project);
    const root = join(folder, body.id, 'project');
    git(root, 'switch', '-q', '--detach');
    writeFileSync(join(root, 'made.txt'), 'by the agent\n');
    await remove(body.id);
    expect(git(project, 'show', `openhands/${body.id}-detached:made.txt`)).toBe('by the agent');
  });

  test('a worktree stays while a fork works in it', async () => {
    const { server, start, remove, folder } = await bench();
    const { body } = await start(repository());
    const fork = await server.call<ConversationInfo>('POST', `/api/conversations/${body.id}/fork`, {});
    expect(fork.body.workspace).toEqual(body.workspace);
    await remove(body.id);
    expect(existsSync(join(folder, body.id, 'project', 'README.md'))).toBe(true);
    await remove(fork.body.id);
    expect(existsSync(join(folder, body.id))).toBe(false);
  });

  test('a worktree is made once for simultaneous requests, and for many conversations at once', async () => {
    const { start } = await bench();
    const project = repository();
    const id = randomUUID();
    const same = await Promise.all(Array.from({ length: 4 }, () => start(project, { conversation_id: id })));
    expect(same.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(same.filter(({ status }) => status === 200)).toHaveLength(3);
    const others = await Promise.all(Array.from({ length: 6 }, () => start(project)));
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 201));
    const [first] = same;
    if (!first) throw new Error('nothing was started');
    const { working_dir: working } = first.body.workspace as { readonly working_dir: string };
    expect(git(working, 'branch', '--show-current')).toBe(`openhands/${id}`);
  });

  test('worktrees change what they share with others of a repository one after the other', async () => {
    const log = join(freshFolder(), 'log');
    const note = `echo begin >> '${log}'; "$REAL" "$@"; status=$?; echo end >> '${log}'; exit $status`;
    const { start, remove } = await bench({ PATH: gitThat(`*' worktree '*|*' branch '*) ${note} ;;`) });
    const project = repository();
    const checkout = join(freshFolder(), 'second');
    git(project, 'worktree', 'add', '-q', checkout);
    const sources = [project, checkout, project, join(project, 'docs'), checkout, project];
    const made = await Promise.all(sources.map((source) => start(source)));
    expect(made.map(({ status }) => status)).toEqual(sources.map(() => 201));
    await Promise.all(made.map(({ body }) => remove(body.id)));
    const noted = readFileSync(log, 'utf8').trim().split('\n');
    expect(noted.length).toBeGreaterThan(2 * 2 * sources.length);
    expect(noted).toEqual(noted.map((_, at) => (at % 2 === 0 ? 'begin' : 'end')));
  });

  test('a worktree waits for a lock that the git of another program holds', async () => {
    const once = join(freshFolder(), 'once');
    const fails = `if mkdir '${once}' 2>/dev/null; then echo "fatal: Unable to create '.git/config.lock': File exists." >&2; exit 128; fi`;
    const { start } = await bench({ PATH: gitThat(`*' worktree add '*) ${fails} ;;`) });
    expect((await start(repository())).status).toBe(201);
    expect(existsSync(once)).toBe(true);
  });

  test('P13: a worktree that git refuses is 422 with its place, and leaves neither folder nor branch', async () => {
    const { server, folder } = await bench();
    const project = repository();
    mkdirSync(join(folder, '..'), { recursive: true });
    writeFileSync(folder, 'no folder');
    const { status, body } = await server.call('POST', '/api/conversations', {
      ...newConversation(server.folder),
      workspace: { working_dir: project },
      worktree: true,
    });
    expect(status).toBe(422);
    expect(body['detail']).toMatchObject([{ loc: ['body', 'worktree'], msg: expect.stringContaining(project) }]);
    expect(git(project, 'branch', '--list', 'openhands/*')).toBe('');
  });

  test('a worktree runs no filter that the repository names, for all of its folders or for worktrees alone', async () => {
    const { start, remove, folder } = await bench();
    const project = repository();
    const witness = join(freshFolder(), 'ran');
    const filter = (name: string, command: string): string =>
      `[filter "${name}"]\n\tsmudge = ${command}\n\tclean = ${command}\n\tprocess = ${command}\n\trequired = true\n`;
    const included = join(freshFolder(), 'included');
    writeFileSync(included, filter('hidden', `touch ${witness}; cat`));
    writeFileSync(join(project, '.gitattributes'), '*.md filter=open\n*.txt filter=hidden\n');
    git(project, 'add', '.');
    git(project, 'commit', '-q', '-m', 'filtered');
    const config = join(project, '.git', 'config');
    const own = `${filter('open', `touch ${witness}; cat`)}[includeIf "gitdir:**/worktrees/**"]\n\tpath = ${included}\n`;
    writeFileSync(config, readFileSync(config, 'utf8') + own);
    const { status, body } = await start(project);
    expect(status).toBe(201);
    const root = join(folder, body.id, 'project');
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toBe('first\n');
    writeFileSync(join(root, 'README.md'), 'second\n');
    writeFileSync(join(root, 'made.txt'), 'made\n');
    await remove(body.id);
    expect(existsSync(root)).toBe(false);
    expect(existsSync(witness)).toBe(false);
  });

  test('a worktree runs no hook of the repository', async () => {
    const { start, remove, folder } = await bench();
    const project = repository();
    const witness = join(freshFolder(), 'ran');
    const hook = join(project, '.git', 'hooks', 'post-checkout');
    mkdirSync(join(project, '.git', 'hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
    const { status, body } = await start(project);
    expect(status).toBe(201);
    writeFileSync(join(folder, body.id, 'project', 'made.txt'), 'x');
    await remove(body.id);
    expect(existsSync(witness)).toBe(false);
  });

  test.each([
    ['a file system monitor', 'core', 'fsmonitor = '],
    ['a filter', 'filter "open"', 'clean = '],
    ['a process filter', 'filter "open"', 'process = '],
    ['a program for differences', 'diff', 'external = '],
  ])('a worktree runs %s neither of itself nor of a repository that was made in it', async (_, section, setting) => {
    const { start, remove, folder } = await bench();
    const project = repository();
    const witness = join(freshFolder(), 'ran');
    const { body } = await start(project);
    const root = join(folder, body.id, 'project');
    const inner = join(root, 'inner');
    mkdirSync(inner);
    git(inner, 'init', '-q');
    writeFileSync(join(root, '.gitattributes'), '*.txt filter=open\n');
    writeFileSync(join(inner, '.gitattributes'), '*.txt filter=inner\n');
    writeFileSync(join(inner, 'a.txt'), 'a\n');
    git(inner, 'add', '.');
    git(inner, 'commit', '-q', '-m', 'inner');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'outer');
    const program = (filter: string): string =>
      `[${section.replace('open', filter)}]\n\t${setting}"sh -c 'touch ${witness}; cat'"\n[submodule "inner"]\n\tignore = none\n`;
    for (const [at, filter] of [
      [inner, 'inner'],
      [project, 'open'],
    ] as const) {
      const config = join(at, '.git', 'config');
      writeFileSync(config, readFileSync(config, 'utf8') + program(filter));
    }
    writeFileSync(join(root, '.gitmodules'), '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n');
    // of the same size, so that git has to read it
    writeFileSync(join(inner, 'a.txt'), 'b\n');
    await remove(body.id);
    expect(existsSync(witness)).toBe(false);
  });

  test('a worktree that is already gone does not keep the conversation from being deleted', async () => {
    const { start, remove, folder } = await bench();
    const project = repository();
    const { body } = await start(project);
    rmSync(join(folder, body.id), { recursive: true });
    await remove(body.id);
    expect(git(project, 'branch', '--list', 'openhands/*')).toBe('');
    expect(existsSync(join(project, 'unsaved.txt'))).toBe(true);
  });
});
