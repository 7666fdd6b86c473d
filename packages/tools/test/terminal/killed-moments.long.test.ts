import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { temporaryFolder } from '../open-tool.ts';

/** The end of a process that ran a command in a terminal, and its remains. */
interface Outcome {
  readonly said: string;
  readonly signal: NodeJS.Signals | null;
  /** Lists the folders of shells that it left. */
  readonly left: () => readonly string[];
}

/** Runs a command in a process of its own, in which a step puts something in the place of functions on files. */
async function runWith(step: string): Promise<Outcome> {
  const folder = temporaryFolder();
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const script = `
    import system from 'node:fs';
    import files from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeFile, rm } = files;
    ${step}
    syncBuiltinESMExports();
    const { terminal } = await import(${JSON.stringify(new URL('tested-terminal.ts', import.meta.url).href)});
    const session = { conversationId: 'c', workingDirectory: ${JSON.stringify(folder)}, sideDirectory: ${JSON.stringify(folder)} };
    const tool = await terminal().create(session);
    const context = { ...session, signal: new AbortController().signal, toolCallId: 'x' };
    const run = () => tool.execute(tool.parse({ command: 'echo done' }), context);
    await run().catch(({ name, code, cause }) => console.log(name, code, cause.code));
    console.log((await run()).fields.exit_code);
    await tool.close();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--experimental-strip-types', '-e', script], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { said, signal, left: () => readdirSync(temporary).filter((name) => name.startsWith('conv-terminal-')) };
}

/** Kills the process as soon as it has made a folder of a shell, by whichever function. */
const KILLED_AT_FOLDER = `
  for (const name of ['mkdirSync', 'mkdtempSync']) {
    const make = system[name];
    system[name] = (path, ...rest) => {
      const made = make(path, ...rest);
      if (String(path).includes('conv-terminal-')) process.kill(process.pid, 'SIGKILL');
      return made;
    };
  }
`;

test.each([
  ['when its folder is made', KILLED_AT_FOLDER],
  ['before its files are written', 'files.writeFile = () => process.kill(process.pid, "SIGKILL");'],
  ['before its folder is removed', 'files.rm = () => process.kill(process.pid, "SIGKILL");'],
])('P4: a process that is killed while a shell is made or ended, %s, leaves no folder', async (_, step) => {
  const { signal, left } = await runWith(step);
  expect(signal).toBe('SIGKILL');
  await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 100_000, interval: 20 });
});

test('P13: a shell whose files cannot be written is FAILED and leaves no folder, and the next one starts', async () => {
  const { said, left } = await runWith(`
    let full = true;
    files.writeFile = async (path, ...rest) => {
      if (!full) return writeFile(path, ...rest);
      if (String(path).endsWith('driver')) full = false;
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
  `);
  expect(said).toBe('ToolError FAILED ENOSPC\n0\n');
  expect(left()).toEqual([]);
});
