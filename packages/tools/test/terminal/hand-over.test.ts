import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ToolResult } from '@conv/core/tool';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { temporaryFolder, textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { numberOutside, openTerminal, type TerminalFixture } from './open-terminal.ts';
import { expectForgotten, hashOf, openWithToken, VALUE } from './open-with-token.ts';
import { terminal } from './tested-terminal.ts';

describe('P9: on its way into the shell a value', () => {
  const long = `${VALUE}${'v'.repeat(100_000)}`;

  /** A terminal whose bash stands still while a command with a long value waits for it. */
  async function waitForever(
    signal?: AbortSignal,
  ): Promise<{ shell: TerminalFixture; pid: number; call: Promise<ToolResult> }> {
    const shell = await openTerminal(terminal(), { secrets: fakeSecrets({ TOKEN: long }) });
    const [, number, pipe = ''] =
      /^(\d+) .*\. '([^']*)driver'/.exec(textOf(await shell.run('echo $$ $PROMPT_COMMAND'))) ?? [];
    const pid = numberOutside(Number(number), shell.session.workingDirectory);
    process.kill(pid, 'SIGSTOP');
    const call = shell.run('touch ran; printf %s "$TOKEN" | sha256sum | cut -c -64', {}, signal);
    while (!isOffered(`${pipe}values`)) await new Promise((resolve) => setImmediate(resolve));
    return { shell, pid, call };
  }

  beforeEach(() => void vi.stubEnv('TMPDIR', temporaryFolder()));
  afterEach(() => void vi.unstubAllEnvs());

  test('P9: a value is in no file and in no argument of a process while the command runs', async () => {
    const shell = await openWithToken(terminal({ noOutputTimeout: 0.2 }));
    await shell.run('printf %s "$TOKEN" | wc -c >size; read x');
    const size = (): string => readFileSync(join(shell.session.workingDirectory, 'size'), 'utf8').trim();
    await vi.waitUntil(() => existsSync(join(shell.session.workingDirectory, 'size')) && size() !== '', {
      timeout: 100_000,
    });
    expect(size()).toBe('20');
    const files = filesBelow(tmpdir());
    expect(files.some((path) => path.includes('conv-terminal-'))).toBe(true);
    expect(files.filter((path) => holds(path, VALUE))).toEqual([]);
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      expect(holds(`/proc/${pid}/cmdline`, VALUE)).toBe(false);
  });

  test('P9: a value is in no file before bash has taken it, and bash that dies then does not hang the call', async () => {
    const { shell, pid, call } = await waitForever();
    expect(filesBelow(tmpdir()).filter((path) => holds(path, VALUE))).toEqual([]);
    process.kill(pid, 'SIGKILL');
    expect(textOf(await call)).toBe(hashOf(long));
    await expectForgotten(shell);
  });

  test('P9: a value leaves no trace when it is interrupted on its way into the shell', async () => {
    const controller = new AbortController();
    const { shell, call } = await waitForever(controller.signal);
    controller.abort('stop');
    await expect(call).rejects.toBe('stop');
    await expectForgotten(shell);
    expect(existsSync(join(shell.session.workingDirectory, 'ran'))).toBe(false);
  });

  test('P9: a value occupies no thread: files can be read while many shells do not take their values', async () => {
    const waiting = [];
    for (let count = 0; count < 6; count++) waiting.push(await waitForever());
    await expect(readFile(import.meta.filename)).resolves.toBeDefined();
    for (const { pid } of waiting) process.kill(pid, 'SIGCONT');
    for (const { call } of waiting) expect(textOf(await call)).toBe(hashOf(long));
  });
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function holds(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'latin1').includes(text);
  } catch {
    return false;
  }
}

/** True if a process has the pipe at this path open: without a reader it cannot be opened for writing. */
function isOffered(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}
