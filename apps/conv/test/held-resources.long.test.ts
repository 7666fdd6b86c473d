import { existsSync, readFileSync, readlinkSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test, vi } from 'vitest';

import { convProcess, onlyId, type Setting, untilThere } from './command.ts';
import { newFolder } from './new-folder.ts';

const PACKAGES = join(import.meta.dirname, '../../../node_modules');
const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

/** A folder and a mark in the environment, by which each process that a program has started is known. */
interface Marked extends Setting {
  readonly mark: string;
}

function marked(): Marked {
  const mark = crypto.randomUUID();
  return { cwd: newFolder(), env: { CONV_TEST_MARK: mark }, mark };
}

/** The processes that have the mark in their environment or work in the folder: command lines. Zombies have neither. */
function processesOf({ cwd, mark }: Marked): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const isIts =
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark) ||
        readlinkSync(`/proc/${pid}/cwd`).startsWith(realpathSync(cwd));
      return isIts ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()] : [];
    } catch {
      // it ended meanwhile, or is of another user
      return [];
    }
  });
}

/** Resolves when the program has left no process. A killed process ends when the system schedules it. */
async function nothingLeft(setting: Marked): Promise<void> {
  await vi.waitFor(() => expect(processesOf(setting)).toEqual([]), { timeout: 100_000, interval: 20 });
}

describe.runIf(existsSync('/proc/self/environ'))('no process is left of a program that', () => {
  test('no process is left of a program that ran a command which leaves another one behind', async () => {
    const setting = marked();
    const { exitCode } = await convProcess(
      setting,
      'run',
      '`sleep 1000 & echo started` and `echo $CONV_TEST_MARK > seen`',
    );
    expect(exitCode).toBe(0);
    // the mark reaches the processes of the agent, so they are seen
    expect(readFileSync(join(setting.cwd, 'workspace/project/seen'), 'utf8').trim()).toBe(setting.mark);
    await nothingLeft(setting);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'no process is left of a program that was ended by %s while a command ran',
    async (signal) => {
      const setting = marked();
      const run = convProcess(setting, 'run', '`touch begun; sleep 1000`');
      await untilThere(join(setting.cwd, 'workspace/project/begun'));
      // the command is seen, so that its end is
      await vi.waitUntil(() => processesOf(setting).includes('sleep 1000'), { timeout: 100_000 });
      let said = '';
      run.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      run.kill(signal);
      if (signal === 'SIGINT') {
        await vi.waitUntil(() => said.includes('pausing after this step'), { timeout: 100_000 });
        run.kill(signal);
      }
      await run;
      await nothingLeft(setting);
    },
  );

  test('no process is left of a program that used an MCP server, or could not start one', async () => {
    const setting = marked();
    const servers = { good: { command: process.execPath, args: [EVERYTHING] }, bad: { command: '/not/there' } };
    writeFileSync(join(setting.cwd, 'good.json'), JSON.stringify({ mcpServers: { good: servers.good } }));
    writeFileSync(join(setting.cwd, 'both.json'), JSON.stringify({ mcpServers: servers }));
    const reading = ['--sandbox-read', PACKAGES];
    const good = await convProcess(setting, 'run', '`@echo {"message": "here"}`', '--mcp', 'good.json', ...reading);
    expect([good.exitCode, good.stdout]).toEqual([0, expect.stringContaining('Echo: here') as string]);
    await nothingLeft(setting);
    expect((await convProcess(setting, 'run', 'hello', '--mcp', 'both.json', ...reading)).exitCode).not.toBe(0);
    await nothingLeft(setting);
  });

  test('no process is left of a program that read, copied or checked conversations, or refused to', async () => {
    const setting = marked();
    await convProcess(setting, 'run', '`sleep 1000 & echo started`');
    const id = await onlyId(setting);
    const conversations = 'fs:workspace/conversations';
    for (const [status, ...args] of [
      [0, 'resume', id, '`sleep 1000 & echo again`'],
      [0, 'show', id],
      [0, 'replay', id],
      [0, 'check', conversations],
      [0, 'backup', conversations, '--to', 'sqlite:copy.db'],
      [3, 'backup', 'fs:nowhere', '--to', 'sqlite:copy.db'],
      [2, 'resume', id, '--tools', 'nonsense'],
    ] as const)
      expect([args[0], (await convProcess(setting, ...args)).exitCode]).toEqual([args[0], status]);
    await nothingLeft(setting);
  });
});
