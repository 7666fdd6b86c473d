import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';

import { oldCall } from '@conv/testing-harness';

import { quoted } from '../quoted.ts';
import type { World } from '../world.ts';
import type { Attempt, CommandAttempt } from './attempt.ts';

const isIntel = process.platform === 'linux' && process.arch === 'x64';

/** A program of 32 bits that sets the bit by which a file runs as its owner. */
const OLD = oldCall(15, 'owned', 0o4755);

/** Lets perl make a system call of x86-64, and write what it returns. */
const called = (args: string, before = ''): string =>
  `perl -e '${before}print syscall(${args}) < 0 ? "refused" : "done"'`;

const RING = called('425, 1, $p', '$p = "\\0" x 120; ');
const TO_MACHINES = called('41, 40, 1, 0');

const isDone: CommandAttempt['escaped'] = (_, output) => output.includes('done');

/** True if a file of the workspace runs as its owner. The workspace is a folder of the machine, where other users run it. */
const runsAsOwner: CommandAttempt['escaped'] = (world) => {
  const about = statSync(join(world.workspace, 'owned'), { throwIfNoEntry: false });
  return about !== undefined && (about.mode & 0o4000) !== 0;
};

/** Attempts by single system calls. A container has a keyring of its own, and keeps no program from changing the rights of files in its folder. */
export const CALLING: readonly CommandAttempt[] = [
  {
    name: 'let a file of the workspace run as its owner',
    inContainer: false,
    command: () => 'touch owned; chmod u+s owned',
    escaped: runsAsOwner,
  },
  {
    name: 'make a file that runs as its owner',
    inContainer: false,
    command: () => `perl -MFcntl -e 'sysopen(F, "owned", O_CREAT | O_WRONLY, 04755)'`,
    escaped: runsAsOwner,
  },
  {
    name: 'make a file that runs as its owner by a call whose rights are behind a pointer',
    inContainer: false,
    possible: isIntel && isSince(5, 6),
    command: () => called('437, -100, $f, $how, 24', '$f = "owned"; $how = pack("QQQ", 0101, 04755, 0); '),
    escaped: runsAsOwner,
  },
  {
    name: 'let a file of the workspace run as its owner by a newer call',
    inContainer: false,
    possible: isIntel && isSince(6, 6),
    command: () => `touch owned; ${called('452, -100, $f, 04755, 0', '$f = "owned"; ')}`,
    escaped: runsAsOwner,
  },
  {
    name: 'let a file of the workspace run as its owner by a call of 32 bits',
    inContainer: false,
    possible: hasOldCalls(),
    command: () => `touch owned; echo ${OLD.toString('base64')} | base64 -d >old; chmod +x old; ./old`,
    escaped: runsAsOwner,
  },
  {
    name: 'find a keyring of the kernel',
    // that of the container
    inContainer: false,
    possible: isIntel,
    command: () => called('250, 0, -3, 1'),
    escaped: isDone,
  },
  {
    name: 'open files past the filter of system calls, by a ring',
    possible: isDoneHere(RING),
    command: () => RING,
    escaped: isDone,
  },
  {
    name: 'talk to virtual machines past the network',
    network: true,
    possible: isDoneHere(TO_MACHINES),
    command: () => TO_MACHINES,
    escaped: isDone,
  },
];

/** Attempts of a program that its starter gives something: keys, or a terminal. */
export const GIVEN: readonly Attempt[] = [
  {
    name: 'read a key of the session in which the sandbox was started',
    possible: isIntel,
    act: (world) => startIn(world, ['perl', '-e', WITH_KEY, world.key], READ_KEY),
    escaped: (world, output) => output.includes(world.key),
  },
  {
    name: 'type a command into the terminal of the user',
    possible: typesInto(),
    act: (world) => {
      const type = `perl -e 'ioctl(STDIN, 0x5412, $_) for split //, "typed\\n"'`;
      return startIn(world, ['script', '-qec'], type, `; bash -c 'read -t 1 line; echo "[$line]"'`);
    },
    escaped: (_, output) => output.includes('[typed]'),
  },
];

/** Joins a session with a key in it, and becomes the program in its arguments. */
const WITH_KEY = `
my $key = shift; my ($kind, $name) = ("user", "conv-escape"); my $none = 0;
syscall(250, 1, $none) > 0 or die "no session"; syscall(248, $kind, $name, $key, length $key, -3) > 0 or die "no key"; exec @ARGV`;

/** Looks for the key in the session, and writes it. */
const READ_KEY = `perl -e '
my ($kind, $name, $text) = ("user", "conv-escape", "\\0" x 100);
my $key = syscall(250, 10, -3, $kind, $name, 0); syscall(250, 11, $key, $text, 100); print $text'`;

/** Resolves with the output of a command of the agent that another program starts. `after`: what a shell does then, for a program that takes one line. */
async function startIn(world: World, starter: readonly string[], command: string, after?: string): Promise<string> {
  const { command: program, args, cwd, env } = world.startOf(command);
  const words = [program, ...args];
  const given = after === undefined ? words : [`${words.map(quoted).join(' ')}${after}`, '/dev/null'];
  return world.play({ command: starter[0] ?? '', args: [...starter.slice(1), ...given], cwd, env });
}

/** True if the kernel carries out a command's call without a sandbox. */
function isDoneHere(command: string): boolean {
  return isIntel && spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout.includes('done');
}

/** True for a Linux of this version or a newer one. */
function isSince(major: number, minor: number): boolean {
  const [first = 0, second = 0] = release().split('.').map(Number);
  return first > major || (first === major && second >= minor);
}

/** True if the kernel makes calls of 32 bits. */
function hasOldCalls(): boolean {
  if (!isIntel) return false;
  const folder = mkdtempSync(join(tmpdir(), 'conv-escape-'));
  try {
    writeFileSync(join(folder, 'owned'), '');
    writeFileSync(join(folder, 'old'), OLD, { mode: 0o755 });
    return spawnSync(join(folder, 'old'), { cwd: folder }).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** True if the kernel lets programs type into their terminal. Newer ones may refuse it. */
function typesInto(): boolean {
  try {
    return readFileSync('/proc/sys/dev/tty/legacy_tiocsti', 'latin1').trim() === '1';
  } catch {
    return process.platform === 'linux';
  }
}
