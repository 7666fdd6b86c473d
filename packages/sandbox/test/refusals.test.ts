import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { describe, expect, test } from 'vitest';

import { isHere, newFolder, newHome, open, openIn, runIn, type Fixture } from './open-sandbox.ts';

/** Runs a command line, and returns what is said of its failure. */
function refusedIn({ confinement, workspace, run }: Omit<Fixture, 'directory'>, line: string): string | undefined {
  const { output, status } = run(line);
  expect(status).not.toBe(0);
  return confinement.refusedIn?.(output, workspace);
}

describe.skipIf(!isHere)('a program that fails in the sandbox', () => {
  test.each([
    ['a folder of the system', 'touch /usr/new', '/usr/new'],
    ['a file by the shell', 'echo new >/usr/new', '/usr/new'],
    ['the root folder', 'mkdir /new', '/new'],
    ['what is protected', 'echo new >.git/config', '.git/config'],
    ['a protected name in another folder', 'cd .git && echo new >hooks/post-commit', undefined],
    ['what a program of Node.js names', `node -e 'fs.writeFileSync("/usr/new", "")'`, '/usr/new'],
    ['what a program of Python names', `python3 -c 'open("/usr/new", "w")'`, '/usr/new'],
  ])('a failing program is told that it cannot write %s', async (_, line, path) => {
    const fixture = await open();
    mkdirSync(join(fixture.workspace, '.git/hooks'), { recursive: true });
    writeFileSync(join(fixture.workspace, '.git/config'), '');
    const said =
      path && `In the sandbox commands cannot write ${resolve(fixture.workspace, path)}, but in ${fixture.workspace}.`;
    expect(refusedIn(fixture, line)).toBe(said);
  });

  test('a failing program is told that it does not see a folder of the machine, present or not', async () => {
    const fixture = await open();
    const other = newFolder();
    for (const path of [other, `${other}-missing`])
      expect(refusedIn(fixture, `ls ${path}`)).toBe(
        `In the sandbox commands do not see ${path}, whether or not it is there.`,
      );
  });

  test.each([
    'touch tool; chmod u+s tool',
    `node -e 'fs.writeFileSync("tool", ""); fs.chmodSync("tool", 0o2755)'`,
    `echo "PermissionError: [Errno 1] Operation not permitted: 'tool'" >&2; exit 1`,
    `echo "Error: EPERM: operation not permitted, copyfile '/usr/bin/su' -> 'su'" >&2; exit 1`,
    'echo "fatal: Could not make /w/.git/refs writable by group" >&2; exit 1',
  ])('a failing program is told that no file gets the bits by which it runs as its owner: %s', async (line) => {
    expect(refusedIn(await open(), line)).toMatch(
      /^In the sandbox commands give no file the bits .*leave these out if they were asked for\.$/,
    );
  });

  test('a failing program is told nothing of bits where another call was refused', async () => {
    const line = 'echo "PermissionError: [Errno 1] Operation not permitted" >&2; exit 1';
    expect(refusedIn(await open(), line)).toBeUndefined();
  });

  test('a failing program is told that it counts no events of the processor, and no setting to change', async () => {
    const line = 'echo "Error: perf_event_open: access limited, see /proc/sys/kernel/perf_event_paranoid" >&2; exit 1';
    expect(refusedIn(await open(), line)).toMatch(/cannot count events of the processor/);
  });

  test('a failing program is told of one of its last paths, not of earlier ones, because each costs a look', async () => {
    const { confinement, workspace } = await open();
    const hidden = `ls: ${newFolder()}: No such file or directory`;
    const missing = Array.from({ length: 60 }, (_, at) => `ls: /usr/missing${at}: No such file or directory`);
    expect(confinement.refusedIn?.([hidden, ...missing].join('\n'), workspace)).toBeUndefined();
    expect(confinement.refusedIn?.([...missing, hidden].join('\n'), workspace)).toContain('commands do not see');
  });

  test('a failing program is told that it does not see a file that not every user may read', async () => {
    const fixture = await open();
    expect(refusedIn(fixture, 'cat /etc/shadow')).toContain('commands do not see /etc/shadow');
  });

  test('a failing program is told that a file of the home is missing in a home of its own', async () => {
    const home = newHome();
    const workspace = join(home, 'workspace');
    mkdirSync(workspace);
    const confinement = await openIn(workspace);
    const said = refusedIn({ confinement, workspace, run: runIn(confinement, workspace) }, 'cat ~/key');
    expect(said).toBe(
      `In the sandbox ${join(homedir(), 'key')} would be in a folder of the sandbox's own, which has no files of the user.`,
    );
  });

  test('a failing program is told that there is no network when it is closed, and not when it is open', async () => {
    const output = 'curl: (6) Could not resolve host: example.com';
    const closed = await open({ network: 'closed' });
    expect(closed.confinement.refusedIn?.(output, closed.workspace)).toBe('In the sandbox commands have no network.');
    const opened = await open();
    expect(opened.confinement.refusedIn?.(output, opened.workspace)).toBeUndefined();
  });

  test.each([
    'cat missing',
    'cat ./missing/file',
    'cat /usr/missing',
    'cat /proc/missing',
    `echo "touch: cannot touch 'file': Read-only file system"; false`,
    'echo "Read-only file system"; false',
    'echo "GET /nowhere/list: No such file or directory"; false',
    'echo "https://example.com/list: No such file or directory"; false',
    'echo "// permission denied"; false',
    'missing-program',
    'false',
  ])('a failing program is told nothing of what the sandbox does not refuse, as of %s', async (line) => {
    expect(refusedIn(await open(), line)).toBeUndefined();
  });
});
