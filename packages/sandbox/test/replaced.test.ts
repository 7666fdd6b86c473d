import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

import type { ProgramStart } from '@conv/core/tool';
import { MountTable } from '@conv/store-kit/system';
import { describe, expect, onTestFinished, test } from 'vitest';

import { checkedStart } from '../src/checked-start.ts';
import { type FileIdentity, replaceableFiles } from '../src/file-identities.ts';
import { Mounts } from '../src/mounts.ts';
import { withoutDescriptors } from './limited.ts';
import { type Fixture, isHere, newFolder, newHome, open, openIn, runIn } from './open-sandbox.ts';

/** Makes a repository with a key of its user. */
function makeRepository(folder: string): void {
  mkdirSync(join(folder, '.git/hooks'), { recursive: true });
  writeFileSync(join(folder, '.git/config'), 'secret');
  writeFileSync(join(folder, '.git/hooks/key'), 'secret');
}

/** Opens a workspace in a home with another repository, which programs do not see: their own home is there. */
async function openInHome(): Promise<Pick<Fixture, 'confinement' | 'workspace'> & { readonly other: string }> {
  const home = newHome();
  const [workspace, other] = [join(home, 'workspace'), join(home, 'other')];
  mkdirSync(workspace);
  makeRepository(other);
  const confinement = await openIn(workspace);
  // a mount behind a link needs a place in the home of the programs
  runIn(confinement, workspace)('mkdir -p ~/other/.git/hooks; touch ~/other/.git/config ~/other/.git/hooks/key');
  return { confinement, workspace, other };
}

/** Puts a link in the place of a file or folder, as a program does that runs in the workspace since before it was made. */
function replace(path: string, target: string): void {
  renameSync(path, `${path}-before`);
  symlinkSync(target, path);
}

/** Returns the start of a command line in mounts of its own, for which the sandbox has looked at the workspace. */
function decide(
  { confinement, workspace: cwd }: Pick<Fixture, 'confinement' | 'workspace'>,
  line: string,
  env: ProgramStart['env'] = {},
): ProgramStart {
  const plain = { command: 'sh', args: ['-c', line], cwd, env: { ...process.env, ...env } };
  // a folder that it alone reads
  return confinement.confine(plain, { read: [newFolder()] });
}

function start({ command, args, cwd, env }: ProgramStart): { readonly output: string; readonly status: number | null } {
  const { stdout, stderr, status } = spawnSync(command, args, { cwd, env: { ...env }, encoding: 'utf8' });
  return { output: `${stdout}${stderr}`.trim(), status };
}

describe.skipIf(!isHere)('a program in a workspace with a repository that was made after another program', () => {
  test.each([
    ['.git', '../other/.git'],
    ['.git/hooks', '../../other/.git/hooks'],
    ['.git/config', '../../other/.git/config'],
  ])('a program is not started when %s becomes a link before', async (name, target) => {
    const { other, ...fixture } = await openInHome();
    mkdirSync(join(fixture.workspace, '.git/hooks'), { recursive: true });
    writeFileSync(join(fixture.workspace, '.git/config'), '');
    const decided = decide(fixture, 'cat .git/hooks/key .git/config; touch .git/written');
    replace(join(fixture.workspace, name), target);
    const { output, status } = start(decided);
    expect(output).toContain('sandbox: The sandbox started nothing');
    expect(output).toContain(join(fixture.workspace, name));
    expect(output).not.toContain('secret');
    expect(status).toBe(126);
    expect(existsSync(join(other, '.git/written'))).toBe(false);
  });

  test('a program is not started when a link makes bubblewrap fail', async () => {
    const fixture = await open();
    makeRepository(fixture.workspace);
    const decided = decide(fixture, 'echo started');
    replace(join(fixture.workspace, '.git'), newFolder());
    expect(start(decided).output).not.toContain('started');
  });

  test('a program is not started when a mount is not at its path, as after a short renaming of its folder', async () => {
    const fixture = await open();
    makeRepository(fixture.workspace);
    const decided = decide(fixture, 'echo started');
    const at = decided.args.indexOf(join(fixture.workspace, '.git/config')) - 1;
    expect(decided.args[at]).toBe('--ro-bind');
    const { output, status } = start({ ...decided, args: decided.args.toSpliced(at, 3) });
    expect(output).toContain('sandbox: The sandbox started nothing');
    expect(status).toBe(126);
  });

  test('a program is not started when a mount leads elsewhere, although all is at its path again', async () => {
    const { other, ...fixture } = await openInHome();
    makeRepository(fixture.workspace);
    const decided = decide(fixture, 'cat .git/key; echo started');
    const at = decided.args.indexOf(join(fixture.workspace, '.git'));
    expect(decided.args[at - 1]).toBe('--bind');
    const { output, status } = start({ ...decided, args: decided.args.with(at, join(other, '.git')) });
    expect(output).toContain('sandbox: The sandbox started nothing');
    expect(output).not.toContain('\nstarted');
    expect(status).toBe(126);
  });

  test.each(['.git', ''])(
    'a program is not started when another mount lies upon that of the workspace, at "%s"',
    async (name) => {
      const fixture = await open();
      makeRepository(fixture.workspace);
      const decided = decide(fixture, 'echo started');
      const upon = ['--tmpfs', join(fixture.workspace, name)];
      const { output, status } = start({
        ...decided,
        args: decided.args.toSpliced(decided.args.indexOf('--'), 0, ...upon),
      });
      expect([output, status]).toEqual([expect.stringMatching(/^sandbox: The sandbox started nothing/), 126]);
    },
  );

  test('a program finds paths to protect made before its start, so that bubblewrap makes none behind links', async () => {
    const fixture = await open();
    mkdirSync(join(fixture.workspace, '.git'));
    decide(fixture, 'true');
    expect(statSync(join(fixture.workspace, '.git/hooks')).isDirectory()).toBe(true);
    expect(statSync(join(fixture.workspace, '.git/config')).size).toBe(0);
  });

  test('a program has its own variables, arguments, exit code and number of its shell', async () => {
    const fixture = await open();
    makeRepository(fixture.workspace);
    const env = { LD_LIBRARY_PATH: '/one', 'BASH_FUNC_stat%%': '() { echo no; }', 'dotted.name': 'it’s', ENV: 'file' };
    const { output, status } = start(decide(fixture, `tr '\\0' '\\n' </proc/$$/environ; exit 7`, env));
    expect(output.split('\n')).toEqual(
      expect.arrayContaining(Object.entries(env).map(([name, value]) => `${name}=${value}`)),
    );
    expect(status).toBe(7);
    const { confinement, workspace: cwd } = fixture;
    const missing = confinement.confine({ command: 'not-there', args: [], cwd, env: process.env });
    expect(start(missing).status).toBe(127);
  });

  test('a program is found by a name with an equals sign, quotes, spaces and line breaks', async () => {
    const fixture = await open({ protect: ["it's a = b\nfile"] });
    const file = join(fixture.workspace, "it's a = b\nfile");
    writeFileSync(file, 'protected');
    mkdirSync(join(fixture.workspace, 'a=b'));
    writeFileSync(join(fixture.workspace, 'a=b/program'), '#!/bin/sh\necho "$LD_LIBRARY_PATH" "$1"', { mode: 0o755 });
    const { confinement, workspace: cwd } = fixture;
    const env = { ...process.env, LD_LIBRARY_PATH: '/one' };
    const command = join(cwd, 'a=b/program');
    expect(start(confinement.confine({ command, args: ['two'], cwd, env }))).toEqual({ output: '/one two', status: 0 });
    expect(start(decide(fixture, `echo out >"it's a = b\nfile"`)).output).toContain('Read-only file system');
  });
});

describe.skipIf(!isHere)('a program whose workspace lies in a folder that other programs write', () => {
  test('a program is not started when the workspace becomes a link before', async () => {
    const fixture = await open();
    const other = newFolder();
    writeFileSync(join(other, 'key'), 'secret');
    const decided = decide(fixture, 'cat key; touch written');
    replace(fixture.workspace, other);
    const { output, status } = start(decided);
    expect(output).toContain('sandbox: The sandbox started nothing');
    expect(output).toContain(fixture.workspace);
    expect(output).not.toContain('secret');
    expect(status).toBe(126);
    expect(existsSync(join(other, 'written'))).toBe(false);
  });

  test('a program is refused while the workspace, or a folder around it, is a link', async () => {
    const fixture = await open();
    const around = dirname(fixture.workspace);
    const other = newFolder();
    replace(fixture.workspace, other);
    expect(() => decide(fixture, 'true')).toThrow(/expected the files and folders that were checked.*\/workspace\./);
    rmSync(fixture.workspace);
    renameSync(around, join(other, 'moved'));
    symlinkSync(join(other, 'moved'), around);
    mkdirSync(fixture.workspace);
    expect(() => decide(fixture, 'true')).toThrow(/expected the files and folders that were checked.*\/workspace\./);
  });

  test('a program is started again in a folder that its user has put in the place of the workspace', async () => {
    const fixture = await open();
    renameSync(fixture.workspace, `${fixture.workspace}-before`);
    expect(() => decide(fixture, 'true')).toThrow('expected the files and folders that were checked');
    mkdirSync(fixture.workspace);
    expect(start(decide(fixture, 'echo started'))).toEqual({ output: 'started', status: 0 });
  });

  test.each(['read', 'write'])(
    'a program is not started when a path of the option %s becomes a link before',
    async (name) => {
      const [given, other] = [join(newFolder(), 'given'), newFolder()];
      mkdirSync(given);
      writeFileSync(join(other, 'key'), 'secret');
      const decided = decide(await open({ [name]: [given] }), `cat ${given}/key`);
      replace(given, other);
      expect(start(decided)).toEqual({ output: expect.stringContaining('started nothing'), status: 126 });
    },
  );
});

describe('the files of mounts', () => {
  test('the files of mounts are refused when a folder on their way has become a link since the check', () => {
    const workspace = newFolder();
    const other = newFolder();
    makeRepository(workspace);
    makeRepository(other);
    const mounts = new Mounts()
      .add('write', [workspace])
      .add('read', [join(workspace, '.git/hooks')])
      .pin();
    expect(replaceableFiles(mounts).map(({ path }) => path)).toEqual([
      join(workspace, '.git'),
      join(workspace, '.git/hooks'),
    ]);
    replace(join(workspace, '.git'), join(other, '.git'));
    expect(() => replaceableFiles(mounts)).toThrow(/expected the files and folders that were checked.*\.git/);
  });
});

describe('the check before a program', () => {
  const started = { output: 'started', status: 0 };
  const refused = { output: expect.stringContaining('sandbox: The sandbox started nothing'), status: 126 };
  const plain = { command: 'echo', args: ['started'], cwd: '/', env: { PATH: process.env['PATH'] } };

  /** Runs the check of a file on this machine itself. */
  const check = (file: Pick<FileIdentity, 'path' | 'listed'> & Partial<FileIdentity>): ReturnType<typeof start> => {
    const { command, env } = checkedStart(plain, [{ is: '0:0', moves: false, ...file }]);
    const [program = '', ...args] = command;
    return start({ command: program, args, cwd: '/', env });
  };

  test('the check before a program reads only the list of mounts where it tells the mounted folder', () => {
    const file = openSync('/', 'r');
    onTestFinished(() => closeSync(file));
    const listed = new MountTable().listed(file, '/');
    expect(listed).toMatch(/^\d+:\d+ \/\S*$/);
    expect(check({ path: '/', listed })).toEqual(started);
    for (const [path, other] of [
      ['/', `${listed}/other`],
      ['/', listed?.replace(/^/, '1')],
      ['/other', listed],
    ] as const)
      expect(check({ path, listed: other })).toEqual(refused);
  });

  test('the check before a program looks at each file where the list does not tell, and at movable mounts', () => {
    const folder = newFolder();
    const { dev, ino } = statSync(folder, { bigint: true });
    const is = `${dev}:${ino}`;
    expect(check({ path: folder, listed: undefined, is })).toEqual(started);
    expect(check({ path: folder, listed: undefined, is: `${dev}:${ino + 1n}` })).toEqual(refused);
    // it is no mount
    expect(check({ path: folder, listed: undefined, is, moves: true })).toEqual(refused);
    const root = statSync('/', { bigint: true });
    expect(check({ path: '/', listed: undefined, is: `${root.dev}:${root.ino}`, moves: true })).toEqual(started);
  });
});

test.each(['/bin/sh', 'bash', 'dash'])(
  'the kernel bounds the processes of a program that starts behind a check in %s',
  (shell) => {
    const plain = {
      command: 'grep',
      args: ['processes', '/proc/self/limits'],
      cwd: '/',
      env: { PATH: process.env['PATH'] },
    };
    const [, ...args] = checkedStart(plain, [], 4321).command;
    expect(start({ ...plain, command: shell, args }).output).toMatch(/^Max processes +4321 +4321 /);
  },
);

test.skipIf(!isHere)('no program is started while this process can open no file to look at its mounts', async () => {
  const fixture = await open();
  makeRepository(fixture.workspace);
  withoutDescriptors(() =>
    expect(() => decide(fixture, 'true')).toThrow(
      /started nothing, because this process cannot look at .* now: EMFILE.*Try again/,
    ),
  );
  expect(start(decide(fixture, 'echo started'))).toEqual({ output: 'started', status: 0 });
});
