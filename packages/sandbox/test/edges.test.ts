import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { sandbox } from '../src/index.ts';
import { isHere, newFolder, newHome, open, openIn, runIn } from './open-sandbox.ts';

/** Sets a variable of this process until the test ends. */
function setVariable(name: string, value: string): void {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe.skipIf(!isHere)('a program in the sandbox', () => {
  test('a program begins in a folder of the workspace, although both are given by a link', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'workspace/part'), { recursive: true });
    symlinkSync(join(folder, 'workspace'), join(folder, 'link'));
    const workspace = join(folder, 'link');
    const run = runIn(await openIn(workspace), workspace);
    expect(run('pwd -P', { cwd: join(workspace, 'part') }).output).toBe(join(folder, 'workspace/part'));
  });

  test('a program begins in the workspace when a link leads its folder elsewhere', async () => {
    const workspace = newFolder();
    symlinkSync(newFolder(), join(workspace, 'away'));
    const run = runIn(await openIn(workspace), workspace);
    expect(run('pwd -P', { cwd: join(workspace, 'away') }).output).toBe(workspace);
  });

  test('a program writes in the workspace when the home is a link to it', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'user'));
    const home = join(folder, 'home');
    symlinkSync(join(folder, 'user'), home);
    setVariable('HOME', home);
    const confinement = await openIn(home);
    expect(runIn(confinement, home)('echo out >~/file').status).toBe(0);
    expect(readFileSync(join(folder, 'user/file'), 'utf8')).toBe('out\n');
    expect(confinement.rules).toContain('What they write in /tmp belongs to the sandbox');
  });

  test('a program runs although the home of this process is the root folder', async () => {
    setVariable('HOME', '/');
    const { run } = await open();
    expect(run('ls /proc >/dev/null && echo ran').output).toBe('ran');
  });

  test('a program sees the folder of the workspace that TMPDIR names', async () => {
    const workspace = newFolder();
    const folder = join(workspace, 'tmp');
    mkdirSync(folder);
    writeFileSync(join(folder, 'before'), '');
    setVariable('TMPDIR', folder);
    const run = runIn(await openIn(workspace), workspace);
    expect(run('ls tmp; touch tmp/after').output).toBe('before');
    expect(readdirSync(folder)).toEqual(['after', 'before']);
  });

  test('a program keeps its workspace in the folder of temporary files, and nothing else there', async () => {
    const workspace = join(tmpdir(), `sandboxed-${process.pid}`);
    mkdirSync(workspace);
    onTestFinished(() => rmSync(workspace, { recursive: true }));
    const run = runIn(await openIn(workspace), workspace);
    const other = join(tmpdir(), `not-sandboxed-${process.pid}`);
    expect(run(`touch file; touch ${other}`).status).toBe(0);
    expect(readdirSync(workspace)).toEqual(['file']);
    expect(existsSync(other)).toBe(false);
  });

  test.each(['file', 'folder'])(
    'a program does not see a hidden %s that was made after the program before',
    async (kind) => {
      const workspace = newFolder();
      const hidden = join(workspace, 'hidden');
      const run = runIn(await openIn(workspace, { hide: [hidden] }), workspace);
      expect(run('cat hidden hidden/key').output).toContain('No such file');
      if (kind === 'folder') mkdirSync(hidden);
      writeFileSync(kind === 'folder' ? join(hidden, 'key') : hidden, 'secret');
      expect(run('cat hidden hidden/key').output).not.toContain('secret');
      expect(run('mv hidden shown').output).toContain('busy');
    },
  );

  test('a program does not change what is protected and was made after the program before', async () => {
    const { run, workspace } = await open();
    expect(run('true').status).toBe(0);
    mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
    expect(run('touch .git/hooks/pre-commit').output).toContain('Read-only file system');
    expect(run('mv .git other').output).toContain('busy');
  });

  test('a program is not started once a path to protect has become a link', async () => {
    const { run, workspace } = await open();
    symlinkSync('elsewhere', join(workspace, '.git'));
    expect(() => run('true')).toThrow(/cannot protect \.git\/hooks\/: expected no symbolic link/);
  });

  test('a program finds an empty file or folder, by its last character, where a protected path was missing', async () => {
    const { run, workspace } = await open({ protect: ['package.json', 'scripts/'] });
    expect(run('echo {} >package.json').output).toContain('Read-only file system');
    expect(run('touch scripts/build').output).toContain('Read-only file system');
    expect(readFileSync(join(workspace, 'package.json'), 'utf8')).toBe('');
    expect(statSync(join(workspace, 'scripts')).isDirectory()).toBe(true);
  });

  test('a program does not see the homes of other conversations, although the workspace holds them', async () => {
    const workspace = newFolder();
    const box = sandbox({ directory: join(workspace, 'cache/sandboxes') });
    const [one, two] = await Promise.all(
      ['one', 'two'].map((conversationId) => box.open({ conversationId, workingDirectory: workspace })),
    );
    onTestFinished(async () => void (await Promise.all([one?.close(), two?.close()])));
    expect(runIn(one!, workspace)('echo planted >~/file; ls cache/sandboxes').output).toBe('');
    expect(runIn(two!, workspace)('mv cache other; ls cache/sandboxes; cat ~/file').output).toContain('busy');
    expect(runIn(one!, workspace)('cat ~/file').output).toBe('planted');
  });

  test("a program does not see the homes of others when the workspace is the user's home with them", async () => {
    const home = newHome();
    setVariable('XDG_CACHE_HOME', join(home, '.cache'));
    const confinement = await sandbox().open({ conversationId: 'one', workingDirectory: home });
    onTestFinished(() => confinement.close());
    expect(readdirSync(join(home, '.cache/conv/sandboxes'))).toHaveLength(1);
    expect(runIn(confinement, home)('ls .cache/conv/sandboxes').output).toBe('');
  });
});

describe.skipIf(!isHere)('a confinement', () => {
  test.each(['side folder', 'folder for homes'])('a confinement says that its %s cannot be made', async (which) => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    const isSide = which === 'side folder';
    const box = sandbox({ directory: isSide ? newFolder() : file });
    const session = { conversationId: 'one', workingDirectory: newFolder(), ...(isSide && { sideDirectory: file }) };
    const reason = { name: 'ToolError', code: 'FAILED', message: expect.stringContaining(`${file}: EEXIST`) };
    await expect(box.open(session)).rejects.toMatchObject(reason);
  });

  test('a confinement is refused for a relative workspace, or one with the homes of conversations', async () => {
    await expect(openIn('src')).rejects.toMatchObject({ code: 'FAILED', message: expect.stringContaining('absolute') });
    const folder = newFolder();
    const reason = { code: 'FAILED', message: expect.stringContaining('option directory') };
    await expect(openIn(folder, { directory: folder })).rejects.toMatchObject(reason);
  });
});
