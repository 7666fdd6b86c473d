import { spawnSync, type StdioOptions } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { oldCall } from '@conv/testing-harness';
import type { ProgramStart } from '@conv/core/tool';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { TRY } from '../src/call-filters.ts';
import { chooseSandbox, limitsProblem, sandboxNotice } from '../src/index.ts';
import { isHere, newFolder, open, openIn, runIn, type Fixture } from './open-sandbox.ts';

const HOSTS = { network: { hosts: ['example.invalid'] } } as const;
const isIntel = process.arch === 'x64';

/** Calls of Linux on x86-64, as lines of perl that write the result. */
const CALLS = {
  chmod: `my $f = "tool"; said(syscall(90, $f, 04755))`,
  upper: `my $f = "tool"; said(syscall(90, $f, (1 << 32) + 02755))`,
  fchmodat2: `my $f = "tool"; said(syscall(452, -100, $f, 04755, 0))`,
  open: `my $f = "new"; said(syscall(2, $f, 0101, 04755))`,
  mknod: `my $f = "node"; said(syscall(133, $f, 0104755, 0))`,
  openat2: `my $f = "newer"; my $how = pack("QQQ", 0101, 04755, 0); said(syscall(437, -100, $f, $how, 24))`,
  io_uring: `my $p = "\\0" x 120; said(syscall(425, 1, $p))`,
  keyring: `said(syscall(250, 0, -3, 1))`,
  terminal: `my $t = "x"; said(syscall(16, 0, (1 << 32) + 0x5412, $t))`,
  machines: `said(syscall(41, 40, 1, 0))`,
  local: `said(syscall(41, 1, 1, 0))`,
} as const;

/** The errors of a program that shares the network of the machine. */
const REFUSED = {
  chmod: 'Operation not permitted',
  upper: 'Operation not permitted',
  fchmodat2: 'Operation not permitted',
  open: 'Operation not permitted',
  mknod: 'Operation not permitted',
  openat2: 'Function not implemented',
  io_uring: 'Function not implemented',
  keyring: 'Function not implemented',
  terminal: 'Operation not permitted',
} as const;

/** Makes the calls in one program inside. Returns their results by names. */
function callsIn(run: Fixture['run'], more?: Parameters<Fixture['run']>[1]): Record<string, string> {
  const lines = Object.entries(CALLS).map(
    ([name, line]) => `sub { ${line.replace('said(', `said("${name}", `)} }->();`,
  );
  const said = 'sub said { my ($name, $result) = @_; print "$name: ", $result < 0 ? $! : "done", "\\n" }';
  const { output } = run(`touch tool; perl -e '${[said, ...lines].join(' ')}'`, more);
  return Object.fromEntries(output.split('\n').map((line) => line.split(': ') as [string, string]));
}

describe.skipIf(!isHere || !isIntel)('the system calls of a program', () => {
  test('calls are refused with errors in held mounts, in mounts of its own, and in a network of its own', async () => {
    const { run, workspace } = await open();
    expect(callsIn(run)).toEqual({ ...REFUSED, machines: expect.any(String), local: 'done' });
    expect(callsIn(run, { read: ['/usr'] })).toMatchObject(REFUSED);
    expect(readdirSync(workspace)).not.toContain('new');
    expect(statSync(join(workspace, 'tool')).mode & 0o7000).toBe(0);
    const machines = 'Address family not supported by protocol';
    for (const options of [{ network: 'closed' }, HOSTS] as const)
      expect(callsIn((await open(options)).run)).toMatchObject({ ...REFUSED, machines, local: 'done' });
  });

  test('a call of 32 bits is refused as that of 64', async (context) => {
    const { run, workspace } = await open();
    const [tool, program] = [join(workspace, 'tool'), join(workspace, 'old')];
    writeFileSync(tool, '');
    writeFileSync(program, oldCall(15, 'tool', 0o4755), { mode: 0o755 });
    // a kernel may have no such calls
    context.skip(spawnSync(program, { cwd: workspace }).status !== 0);
    expect(statSync(tool).mode & 0o4000).not.toBe(0);
    chmodSync(tool, 0o755);
    expect(run('./old').status).toBe(1);
    expect(statSync(tool).mode & 0o4000).toBe(0);
    writeFileSync(program, oldCall(15, 'tool', 0o711), { mode: 0o755 });
    expect(run('./old').status).toBe(0);
  });
});

describe.skipIf(!isHere)('a filtered program', () => {
  test('common programs keep rights, make links, archives and repositories as before', async () => {
    const { run, workspace } = await open();
    mkdirSync(join(workspace, 'one/sub'), { recursive: true });
    writeFileSync(join(workspace, 'one/run'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
    const lines = [
      'cp -a one two',
      'chmod -R u+rwX,go-w one',
      'tar -cf a.tar one && mkdir x && tar -xpf a.tar -C x',
      'install -d -m 755 made && install -m 755 one/run made/run && made/run',
      'git init -q r && cd r && echo a >a && git add a && git -c user.name=a -c user.email=a@b commit -qm a && git clone -q . ../c',
      'mkfifo pipe && ln -s one link && umask 0 && mkdir -m 1777 shared && touch -m shared/file',
    ];
    for (const line of lines) expect([line, run(line).status]).toEqual([line, 0]);
    expect(statSync(join(workspace, 'two/run')).mode & 0o777).toBe(0o755);
  });

  test('folders that pass their group on keep that bit in copies, and no file runs as its owner', async () => {
    const workspace = newFolder();
    chmodSync(workspace, 0o2775);
    const run = runIn(await openIn(workspace), workspace);
    for (const line of [
      'mkdir -p one/sub && cp -a one two && chmod -R go-w one',
      'tar -cf a.tar one && mkdir x && tar -xpf a.tar -C x',
    ])
      expect([line, run(line).status]).toEqual([line, 0]);
    expect(statSync(join(workspace, 'x/one/sub')).mode & 0o2000).not.toBe(0);
    expect(run('touch tool; chmod u+s tool').output).toContain('Operation not permitted');
    // a folder elsewhere cannot be given the bit, nor by a link in the place of a repository
    const plain = newFolder();
    symlinkSync(workspace, join(plain, '.git'));
    expect(runIn(await openIn(plain, { protect: [] }), plain)('mkdir one; chmod g+s one').output).toContain(
      'Operation not permitted',
    );
  });

  test('a repository that passes on the group of programs gives them no bit', async () => {
    const workspace = newFolder();
    const repository = join(workspace, '.git');
    mkdirSync(repository);
    chmodSync(repository, 0o2775);
    const line = 'mkdir one && chmod g+s one';
    expect(runIn(await openIn(workspace), workspace)(line).output).toContain('Operation not permitted');
    // a worktree of such a repository
    rmSync(repository, { recursive: true });
    const common = join(workspace, 'common');
    const own = join(common, 'worktrees/a');
    mkdirSync(own, { recursive: true });
    writeFileSync(repository, `gitdir: ${own}\n`);
    writeFileSync(join(own, 'gitdir'), `${repository}\n`);
    writeFileSync(join(own, 'commondir'), '../..\n');
    chmodSync(common, 0o2775);
    expect(runIn(await openIn(workspace), workspace)('mkdir two && chmod g+s two').output).toContain(
      'Operation not permitted',
    );
  });

  test.runIf(process.getuid?.() === 0)('a repository of another group keeps the bit in new folders', async () => {
    const workspace = newFolder();
    const repository = join(workspace, '.git');
    mkdirSync(repository);
    chownSync(repository, 0, 12_345);
    chmodSync(repository, 0o2775);
    expect(runIn(await openIn(workspace), workspace)('mkdir one && chmod g+s one').status).toBe(0);
  });

  test('a program has the open files of its starter, whichever their numbers, and not the filter', async () => {
    const { confinement, workspace } = await open();
    const lineOf = (line: string): ProgramStart => ({
      command: 'sh',
      args: ['-c', line],
      cwd: workspace,
      env: { PATH: '/usr/bin:/bin' },
    });
    const start = (line: string, stdio: StdioOptions, plain = false): string => {
      const { command, args, cwd, env } = plain ? lineOf(line) : confinement.confine(lineOf(line));
      const { stdout, stderr } = spawnSync(command, args, { cwd, env: { ...env }, stdio, encoding: 'utf8' });
      return `${stdout}${stderr}`.trim();
    };
    writeFileSync(join(workspace, 'file'), 'from the file');
    const given = (): number => {
      const file = openSync(join(workspace, 'file'), 'r');
      onTestFinished(() => closeSync(file));
      return file;
    };
    const plain = ['ignore', 'pipe', 'pipe'] as const;
    expect(start('ls /proc/self/fd', [...plain])).toBe(start('ls /proc/self/fd', [...plain], true));
    const six = Array.from({ length: 6 }, given);
    const list = 'cat <&8; ls /proc/self/fd';
    expect(start(list, [...plain, ...six])).toBe(start(list, [...plain, ...six.map(given)], true));
    expect(start('true', [...plain, ...six.map(given), given()])).toMatch(/expected a free number .* found none/);
  });

  test.each(['/bin/sh', 'bash', 'dash'])(
    'a program gets its filter from %s as the shell of the system',
    async (shell) => {
      const { confinement, workspace } = await open();
      const plain = {
        command: 'sh',
        args: ['-c', 'touch tool; chmod u+s tool; echo "$0"'],
        cwd: workspace,
        env: { PATH: '/usr/bin:/bin' },
      };
      const { args, cwd, env } = confinement.confine(plain);
      const { stdout, stderr } = spawnSync(shell, args, { argv0: 'sh', cwd, env: { ...env }, encoding: 'utf8' });
      expect([stdout, stderr]).toEqual(['sh\n', expect.stringContaining('Operation not permitted')]);
    },
  );

  test('no program starts without its filter, and what is said names the file', async () => {
    const { run, directory } = await open();
    const [own] = readdirSync(directory);
    const filter = join(directory, String(own), 'filter');
    expect(statSync(filter).mode & 0o777).toBe(0o400);
    expect(run('echo started').output).toBe('started');
    rmSync(filter);
    const { output, status } = run('echo started');
    expect([output.includes(`could not open its filter of system calls, ${filter}`), status]).toEqual([true, 126]);
    expect(output).not.toContain('started\n');
  });
});

/** Puts a program in the place of bubblewrap until the test ends. It knows where the real one is. */
function withBubblewrap(script: string): string {
  const folder = newFolder();
  const real = spawnSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim();
  const path = '/usr/bin:/bin';
  writeFileSync(join(folder, 'bwrap'), `#!/bin/sh\nPATH=${path}\n${script}\nexec ${real} "$@"\n`, { mode: 0o755 });
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return path;
}

describe.skipIf(!isHere)('where filters cannot be had', () => {
  const failing = (words: string): string =>
    `for arg; do test "$arg" = --seccomp && { echo "bwrap: ${words}" >&2; exit 1; }; done`;

  test('programs run without one, and the problem with limits and the notice say it', async () => {
    withBubblewrap(failing('Unknown option --seccomp'));
    expect(await limitsProblem({ directory: newFolder() })).toMatch(
      /^System calls of commands are not filtered: expected .* --seccomp .* found one of them missing on this/,
    );
    const chosen = await chooseSandbox('on', { directory: newFolder() });
    expect(sandboxNotice(chosen)).toMatch(
      /^Commands run in a sandbox \(bubblewrap\)\. System calls of commands are not/,
    );
    const workspace = newFolder();
    const run = runIn(await openIn(workspace), workspace, '/usr/bin:/bin');
    expect(run('touch tool && chmod u+s tool && echo made').output).toBe('made');
  });

  test('a kernel without filters is known by what bubblewrap says of it', async () => {
    withBubblewrap(
      failing(
        'prctl(PR_SET_SECCOMP): Invalid argument (Hint: this requires a kernel configured with CONFIG_SECCOMP and CONFIG_SECCOMP_FILTER.)',
      ),
    );
    expect(await limitsProblem({ directory: newFolder() })).toMatch(/^System calls of commands are not filtered/);
  });

  test.each([
    '',
    'prctl(PR_SET_SECCOMP): Cannot allocate memory',
    "Can't read seccomp data: Input/output error",
    'cannot open /home/ann/seccomp/filter',
  ])('a start that fails for another reason keeps the filter: %j', async (words) => {
    withBubblewrap(failing(words));
    await expect(openIn(newFolder())).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });
});

test.each(['/bin/sh', 'bash'])(
  'the try of a filter goes on in %s where the machine has no folder in memory',
  (shell) => {
    const line = `${TRY.replaceAll('/dev/shm', '/nowhere')}; echo went on`;
    expect(spawnSync(shell, ['-c', line], { argv0: 'sh', encoding: 'utf8' }).stdout).toBe('went on\n');
  },
);
