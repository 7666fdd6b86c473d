import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import type { Confinement, ProgramStart } from '@conv/core/tool';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { childrenOf } from '../src/process-tree.ts';
import { isHere, newFolder, newHome, open, openIn, runIn } from './open-sandbox.ts';

/** Returns the start of a command line in the mounts of the conversation, or in mounts of its own. */
function startOf(confinement: Confinement, cwd: string, line: string): ProgramStart {
  return confinement.confine({ command: 'sh', args: ['-c', line], cwd, env: process.env });
}

/** True if the program enters the mounts of its conversation. */
function enters({ args }: ProgramStart): boolean {
  const words = args.join(' ');
  return words.includes('--mount') && words.includes('--dev-bind / /');
}

function outputOf({ command, args, cwd, env }: ProgramStart): string {
  const { stdout, stderr } = spawnSync(command, args, { cwd, env: { ...env }, encoding: 'utf8' });
  return `${stdout}${stderr}`.trim();
}

/** Waits until programs enter the mounts of their conversation. */
async function untilEntered(confinement: Confinement, cwd: string): Promise<void> {
  await expect.poll(() => enters(startOf(confinement, cwd, 'true'))).toBe(true);
}

/** Makes a workspace with a repository, and opens it. */
async function openRepository(): Promise<{ readonly workspace: string; readonly confinement: Confinement }> {
  const workspace = newFolder();
  mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
  writeFileSync(join(workspace, '.git/config'), '[core]\n');
  return { workspace, confinement: await openIn(workspace) };
}

describe.skipIf(!isHere)('a program that enters the mounts of its conversation', () => {
  test('a program enters held mounts from the first one on, and sees and writes the same as with its own', async () => {
    const home = newHome();
    const { confinement, workspace } = await openRepository();
    const line =
      'ls -A / ~ /etc /usr; id; pwd; cat ~/key /etc/shadow; echo out >file; echo out >.git/config; touch /usr/x ~/own; grep -c . /proc/[0-9]*/stat; env | sort';
    const entered = startOf(confinement, workspace, line);
    expect(enters(entered)).toBe(true);
    const own = confinement.confine(
      { command: 'sh', args: ['-c', line], cwd: workspace, env: process.env },
      { read: [newFolder()] },
    );
    expect(enters(own)).toBe(false);
    outputOf(own);
    const [one, other] = [outputOf(entered), outputOf(own)];
    expect(one).toContain('Read-only file system');
    expect(one).not.toContain('secret');
    // the folder that one of them reads as well lies in a folder of its own
    expect(one).toBe(other);
    expect(existsSync(join(home, 'own'))).toBe(false);
    expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('out\n');
  });

  test('a program can take no held mounts away, not even with all rights in its own namespaces', async () => {
    const { confinement, workspace } = await openRepository();
    // the programs of util-linux ask for root, which no user is here
    const [mount, umount] = process.arch === 'arm64' ? [40, 39] : [165, 166];
    const program =
      `sub result { print shift() == 0 ? "done\\n" : "$!\\n" } ` +
      `result(syscall(${mount}, my $t = "t", my $h = "here", my $k = "tmpfs", 0, 0)); ` +
      `for my $at ("/proc", ".git/config", "/dev", "/etc") { my $p = $at; result(syscall(${umount}, $p, 2)) } ` +
      `result(syscall(${mount}, my $r = "/", $h, 0, 4096, 0));`;
    writeFileSync(join(workspace, 'program.pl'), program);
    const line =
      'mkdir here; unshare --user --keep-caps --mount sh -c "perl program.pl; ls /proc | grep -c ^[0-9]; echo out >.git/config"';
    const entered = startOf(confinement, workspace, line);
    expect(enters(entered)).toBe(true);
    const [made, ...results] = outputOf(entered).split('\n');
    // it has the right to mount
    expect(made).toBe('done');
    expect(results.slice(0, 5)).toEqual(Array(5).fill('Invalid argument'));
    // its own shells, and none of this machine
    expect(Number(results[5])).toBeLessThan(10);
    expect(results[6]).toContain('Read-only file system');
    expect(readFileSync(join(workspace, '.git/config'), 'utf8')).toBe('[core]\n');
  });

  test('a program finds protected names protected again after their owner has put another file there', async () => {
    const { confinement, workspace } = await openRepository();
    writeFileSync(join(workspace, '.git/new'), '[user]\n');
    // as git does it for a setting
    renameSync(join(workspace, '.git/new'), join(workspace, '.git/config'));
    const next = startOf(confinement, workspace, 'echo out >.git/config');
    expect(enters(next)).toBe(false);
    expect(outputOf(next)).toContain('Read-only file system');
    await untilEntered(confinement, workspace);
    expect(outputOf(startOf(confinement, workspace, 'cat .git/config; echo out >.git/config'))).toMatch(
      /^\[user\]\n.*Read-only file system/,
    );
  });

  test('a program enters no mount whose file was replaced, because the kernel has taken the mount away', async () => {
    const { confinement, workspace } = await openRepository();
    const config = join(workspace, '.git/config');
    renameSync(config, `${config}-away`);
    renameSync(`${config}-away`, config);
    const next = startOf(confinement, workspace, 'echo out >.git/config');
    expect(outputOf(next)).toContain('Read-only file system');
    await untilEntered(confinement, workspace);
    expect(outputOf(startOf(confinement, workspace, 'echo out >.git/config'))).toContain('Read-only file system');
  });

  test('a program finds a repository protected that was made after another program', async () => {
    const { confinement, workspace, run } = await open();
    expect(enters(startOf(confinement, workspace, 'true'))).toBe(true);
    expect(run('mkdir .git').status).toBe(0);
    const planting = 'echo out >.git/config; echo out >.git/hooks/pre-commit';
    // an empty file that is not there yet is a device
    expect(run(planting).output.match(/Read-only|Permission denied/g)).toHaveLength(2);
    await untilEntered(confinement, workspace);
    expect(run(planting).output.match(/Read-only/g)).toHaveLength(2);
  });

  test('a program finds the folders of PATH that this process has then, and files that are new there', async () => {
    const { confinement, workspace } = await openRepository();
    const programs = newFolder();
    const tool = (words: string): void => {
      mkdirSync(join(programs, 'bin'));
      writeFileSync(join(programs, 'bin/tool'), `#!/bin/sh\necho ${words}`, { mode: 0o755 });
    };
    tool('one');
    const run = runIn(confinement, workspace, join(programs, 'bin'));
    expect(run('tool').output).toBe('one');
    await untilEntered(confinement, workspace);
    expect(run('tool').output).toBe('one');
    rmSync(join(programs, 'bin'), { recursive: true });
    tool('two');
    expect(run('tool').output).toBe('two');
  });

  test('a program starts in the workspace that was checked, although that becomes a link before', async () => {
    const { confinement, workspace } = await open();
    const other = newFolder();
    writeFileSync(join(other, 'key'), 'secret');
    const decided = startOf(confinement, workspace, 'cat key; touch written');
    expect(enters(decided)).toBe(true);
    renameSync(workspace, `${workspace}-before`);
    symlinkSync(other, workspace);
    expect(outputOf(decided)).not.toContain('secret');
    expect(existsSync(join(other, 'written'))).toBe(false);
    expect(existsSync(`${workspace}-before/written`)).toBe(true);
  });

  test('a program is handed variables that act on programs of this machine only inside', async () => {
    const { confinement, workspace } = await openRepository();
    const env = { ...process.env, LD_LIBRARY_PATH: '/one', LOCPATH: '/two', GCONV_PATH: '/three' };
    const start = confinement.confine({ command: 'env', args: [], cwd: workspace, env });
    expect(enters(start)).toBe(true);
    for (const name of ['LD_LIBRARY_PATH', 'LOCPATH', 'GCONV_PATH']) expect(start.env).not.toHaveProperty(name);
    expect(outputOf(start)).toMatch(/(?=[^]*LD_LIBRARY_PATH=\/one)(?=[^]*LOCPATH=\/two)(?=[^]*GCONV_PATH=\/three)/);
  });

  test('a program makes its own mounts where bubblewrap is in the home, where programs could replace it', async () => {
    const home = newHome();
    const bubblewrap = join(home, 'bin/bwrap');
    copyFileSync(spawnSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim(), bubblewrap);
    chmodSync(bubblewrap, 0o755);
    vi.stubEnv('PATH', join(home, 'bin'));
    const workspace = newFolder();
    const confinement = await openIn(workspace);
    const env = { PATH: '/usr/bin:/bin' };
    const start = confinement.confine({ command: 'sh', args: ['-c', 'echo begun'], cwd: workspace, env });
    expect([start.args.join(' ').includes(bubblewrap), enters(start)]).toEqual([true, false]);
    expect(outputOf(start)).toBe('begun');
  });

  test.each(['closed', 'open'] as const)(
    'a program that enters held mounts has a network that is %s',
    async (network) => {
      const confinement = await openIn(newFolder(), { network });
      const start = startOf(confinement, '/', 'cat /proc/net/dev');
      expect(enters(start)).toBe(true);
      const here = readFileSync('/proc/net/dev', 'utf8').split('\n').length;
      expect(outputOf(start).split('\n').length === here - 1).toBe(network === 'open' || here === 4);
    },
  );

  test('a program makes its own mounts when their holder has ended, and later ones enter others', async () => {
    const before = childrenOf(process.pid);
    const { confinement, workspace } = await openRepository();
    const holders = (): readonly number[] => childrenOf(process.pid).filter((pid) => !before.includes(pid));
    const [holder] = holders();
    expect(holders()).toHaveLength(1);
    process.kill(Number(holder), 'SIGKILL');
    await expect.poll(holders).not.toContain(holder);
    expect(outputOf(startOf(confinement, workspace, 'echo begun'))).toBe('begun');
    await untilEntered(confinement, workspace);
    expect(outputOf(startOf(confinement, workspace, 'echo begun'))).toBe('begun');
    await confinement.close();
    expect(holders()).toEqual([]);
  });

  test('a program goes on when the mounts are made anew or the conversation closes', async () => {
    const { confinement, workspace } = await openRepository();
    const { command, args, env } = startOf(confinement, workspace, 'cat; cat .git/config; echo out >.git/config');
    const program = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    onTestFinished(() => void program.kill('SIGKILL'));
    program.stdin.write('begun\n');
    await once(program.stdout, 'data');
    await confinement.close();
    let said = '';
    for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (said += String(text)));
    program.stdin.end();
    await once(program, 'close');
    expect(said).toMatch(/^\[core\]\n.*Read-only file system/);
  });
});
