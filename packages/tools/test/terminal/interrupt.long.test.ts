import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test, vi } from 'vitest';

import { temporaryFolder, textOf } from '../open-tool.ts';
import { metadataOf, numberOutside, openTerminal, type TerminalFixture } from './open-terminal.ts';
import { terminal } from './tested-terminal.ts';

/** Resolves when the file is there. */
async function appears(path: string): Promise<string> {
  const watcher = watch(join(path, '..'));
  try {
    while (!existsSync(path) || readFileSync(path, 'utf8') === '')
      await new Promise((resolve) => watcher.once('change', resolve));
    return readFileSync(path, 'utf8').trim();
  } finally {
    watcher.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // a zombie, for which its parent has not waited yet, is dead
    return process.platform !== 'linux' || !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function dies(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
}

function outside({ session: { workingDirectory } }: TerminalFixture, pid: unknown): number {
  return numberOutside(Number(pid), workingDirectory);
}

/** Runs a command and aborts it once it has written its process ids, which it resolves with. */
async function interrupt(shell: TerminalFixture, command: string): Promise<readonly number[]> {
  const file = join(shell.session.workingDirectory, `pids-${crypto.randomUUID()}`);
  const controller = new AbortController();
  const reason = new Error('stop');
  const call = shell.run(
    command.replaceAll('PIDS', `${file}.tmp`).replaceAll('READY', `mv ${file}.tmp ${file}`),
    {},
    controller.signal,
  );
  const pids = (await appears(file)).split(/\s+/).map((pid) => outside(shell, pid));
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  return pids;
}

describe('P7: an aborted call', () => {
  test.each([
    ['a sleeping program', 'sh -c "echo \\$\\$ >PIDS; READY; exec sleep 1000"'],
    [
      'a program that ignores interrupts',
      `sh -c "trap '' INT TERM HUP; echo \\$\\$ >PIDS; READY; while :; do sleep 1000; done"`,
    ],
    ['a pipeline', 'sh -c "echo \\$\\$ >PIDS; READY; exec sleep 1000" | cat | cat'],
    ['a background child of the call', 'sleep 1000 & echo $! >PIDS; READY; wait'],
    ['a child in a session of its own', 'setsid -w sh -c "echo \\$\\$ >PIDS; READY; exec sleep 1000"'],
    ['a command substitution', 'x=$(sh -c "echo \\$\\$ >PIDS; READY; exec sleep 1000")'],
    ['a program that made the terminal raw', 'stty raw -isig; sh -c "echo \\$\\$ >PIDS; READY; exec sleep 1000"'],
  ])('P7: an aborted call rejects with the reason, and %s is dead', async (_, command) => {
    const shell = await openTerminal();
    await shell.run('kept=1');
    const pids = await interrupt(shell, command);
    for (const pid of pids) await dies(pid);
    expect(textOf(await shell.run('echo "kept $kept"'))).toBe('kept 1');
  });

  test('P7: an aborted call ends a loop of the shell itself', async () => {
    const shell = await openTerminal();
    await shell.run('kept=1');
    await interrupt(shell, 'echo $$ >PIDS; READY; while :; do :; done');
    expect(textOf(await shell.run('echo "kept $kept"'))).toBe('kept 1');
  });

  test('P7: an aborted call that the shell ignores costs the shell, and the next call says so', async () => {
    const shell = await openTerminal();
    await shell.run('mkdir sub; cd sub');
    await interrupt(shell, `trap '' INT; echo $$ >PIDS; READY; while :; do :; done`);
    const next = await shell.run('pwd');
    expect(textOf(next)).toBe(`${shell.session.workingDirectory}/sub`);
    expect(metadataOf(next)['prefix']).toMatch(/did not stop/);
  });

  test('P7: an aborted call spares what earlier calls started in the background', async () => {
    const shell = await openTerminal();
    const server = await shell.run('(while :; do sleep 0.02; done) & true');
    const pid = outside(shell, metadataOf(server)['pid']);
    await interrupt(shell, 'echo $$ >PIDS; READY; sleep 1000');
    expect(isAlive(pid)).toBe(true);
    await shell.tool.close?.();
    await dies(pid);
  });

  test('P7: an aborted call spares what the call just before it started', async () => {
    const shell = await openTerminal();
    const pids: number[] = [];
    for (let call = 0; call < 10; call++) {
      pids.push(outside(shell, metadataOf(await shell.run('sleep 1000 & true'))['pid']));
      await interrupt(shell, 'echo $$ >PIDS; READY; sleep 1000');
    }
    expect(pids.filter(isAlive)).toEqual(pids);
  });

  test('P7: a call that was aborted before does not start anything', async () => {
    const shell = await openTerminal();
    await expect(shell.run('touch started', {}, AbortSignal.abort('early'))).rejects.toBe('early');
    expect(existsSync(join(shell.session.workingDirectory, 'started'))).toBe(false);
  });

  test('P7: an aborted call that prints without end is ended all the same', async () => {
    const shell = await openTerminal();
    const pids = await interrupt(shell, 'sh -c "echo \\$\\$ >PIDS; READY; exec yes"');
    for (const pid of pids) await dies(pid);
    expect(textOf(await shell.run('echo next'))).toBe('next');
  });

  test('P7: a call that is aborted while the shell starts rejects at once', async () => {
    const shell = await openTerminal();
    const controller = new AbortController();
    const call = shell.run('true', {}, controller.signal);
    controller.abort('now');
    await expect(call).rejects.toBe('now');
    expect(textOf(await shell.run('echo next'))).toBe('next');
  });
});

describe('the end of the conversation', () => {
  test('the end of the conversation kills the shell and all it runs, even programs that ignore hangups', async () => {
    const shell = await openTerminal(terminal({ noOutputTimeout: 0.1 }));
    await shell.run(
      `(trap '' HUP INT TERM; echo $BASHPID >one; sleep 1000) & nohup sleep 1000 >/dev/null 2>&1 & echo $$ $! >two; sleep 1000`,
    );
    const said = await Promise.all(['one', 'two'].map((name) => appears(join(shell.session.workingDirectory, name))));
    const pids = said
      .join(' ')
      .split(' ')
      .map((pid) => outside(shell, pid));
    expect(pids).toHaveLength(3);
    await shell.tool.close?.();
    for (const pid of pids) await dies(pid);
  });

  test('P4: a SIGKILL of this process leaves no shell and no program of it behind, nor a folder', async () => {
    const folder = temporaryFolder();
    const folders = ['one', 'two'].map((name) => join(folder, name));
    for (const each of folders) mkdirSync(each);
    const script = `
      import { terminal } from ${JSON.stringify(new URL('tested-terminal.ts', import.meta.url).pathname)};
      for (const name of ['one', 'two']) {
        const session = { conversationId: name, workingDirectory: ${JSON.stringify(folder)} + '/' + name };
        const tool = await terminal({ noOutputTimeout: 0.2 }).create(session);
        const command = "echo $$ $PROMPT_COMMAND >said; (trap '' HUP INT TERM; echo $BASHPID >>said; exec sleep 1000) & sh -c 'trap \\"\\" HUP; echo $$ >>said; sleep 1000'";
        await tool.execute(tool.parse({ command }), { ...session, signal: new AbortController().signal, toolCallId: 'x' });
      }
      console.log('ready');
      setInterval(() => undefined, 1000);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--experimental-strip-types', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const read = (): readonly string[] => folders.map((each) => readFileSync(join(each, 'said'), 'utf8'));
    await vi.waitUntil(
      () =>
        read()
          .join('\n')
          .match(/^\d+.*\n/gm)?.length === 6,
      { timeout: 100_000 },
    );
    const said = read();
    const pids = said.flatMap((text, at) =>
      [...text.matchAll(/^\d+/gm)].map(([pid]) => numberOutside(Number(pid), folders[at] ?? '')),
    );
    const [, home = ''] = /\. '(\/\S*conv-terminal-\w+)/.exec(said.join('\n')) ?? [];
    expect(existsSync(home)).toBe(true);
    expect(pids).toHaveLength(6);
    child.kill('SIGKILL');
    for (const pid of pids) await dies(pid);
    while (existsSync(home)) await new Promise((resolve) => setImmediate(resolve));
  });
});
