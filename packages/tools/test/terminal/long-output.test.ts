import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

import { expect, test } from 'vitest';

import { textOf } from '../open-tool.ts';
import { openTerminal, PATIENT, runUntil } from './open-terminal.ts';
import { terminal } from './tested-terminal.ts';

test('P12: long output keeps start and end, and names the file with all of it by its hash', async () => {
  const shell = await openTerminal();
  const result = await shell.run('seq 1 20000');
  const shown = textOf(result);
  expect(shown.length).toBeLessThanOrEqual(30_000);
  expect(shown).toMatch(/^1\n2\n3\n/);
  expect(shown).toMatch(/\n20000$/);
  expect(result.fields?.['full_output_save_dir']).toBe(shell.session.sideDirectory);
  const [, path = ''] = /complete output is in (\S+?) /.exec(shown) ?? [];
  const full = readFileSync(path);
  expect(full.toString()).toBe(Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''));
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8);
  expect(basename(path)).toBe(`terminal_output_${hash}.txt`);
  expect(readdirSync(shell.session.sideDirectory)).toEqual([basename(path)]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('P12: the notice counts what is left out exactly', async () => {
  const shell = await openTerminal();
  const shown = textOf(await shell.run('head -c 100000 /dev/zero | tr "\\0" a'));
  const [notice = '', leftOut = ''] = /\n\[\.\.\. (\d+) characters.*\n/.exec(shown) ?? [];
  expect(shown.length - notice.length + Number(leftOut)).toBe(100_000);
});

test('output that just fits is shown whole and kept nowhere else', async () => {
  const shell = await openTerminal();
  const result = await shell.run('printf "%027000d" 0');
  expect(textOf(result)).toBe('0'.repeat(27_000));
  expect(result.fields).not.toHaveProperty('full_output_save_dir');
  const { sideDirectory } = shell.session;
  expect(existsSync(sideDirectory) ? readdirSync(sideDirectory) : []).toEqual([]);
});

test('P12: 100 MB pass through with bounded memory, all of it in the side file', async () => {
  const shell = await openTerminal();
  await shell.run('true');
  const before = process.memoryUsage().rss;
  let most = 0;
  const sample = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const result = await shell.run('yes | head -c 100000000');
  clearInterval(sample);
  expect(result.fields?.['exit_code']).toBe(0);
  const [name = ''] = readdirSync(shell.session.sideDirectory);
  expect(statSync(join(shell.session.sideDirectory, name)).size).toBe(100_000_000);
  expect((most - before) / 1e6).toBeLessThan(120);
});

test('a command that continues to print after its call loses no output', async () => {
  const shell = await openTerminal(terminal({ noOutputTimeout: 0.3 }));
  const first = await runUntil(shell, 'seq 1 5000; read go; seq 5001 30000', /5000$/);
  const rest = await shell.run('', { is_input: true, timeout: 0 });
  expect(textOf(rest)).toBe('');
  const last = await shell.run('go', PATIENT);
  expect(first.text).toMatch(/5000$/);
  expect(textOf(last)).toMatch(/^5001\n[^]*\n30000$/);
  const [name = ''] = readdirSync(shell.session.sideDirectory);
  const full = readFileSync(join(shell.session.sideDirectory, name), 'utf8');
  expect(full).toBe(Array.from({ length: 25_000 }, (_, index) => `${index + 5001}\n`).join(''));
});

test('an interrupted command leaves no partial file', async () => {
  const shell = await openTerminal();
  const controller = new AbortController();
  const call = shell.run('seq 1 100000; touch printed; sleep 1000', {}, controller.signal);
  while (!readdirSync(shell.session.workingDirectory).includes('printed'))
    await new Promise((resolve) => setImmediate(resolve));
  controller.abort('stop');
  await expect(call).rejects.toBe('stop');
  expect(readdirSync(shell.session.sideDirectory)).toEqual([]);
});

test('the middle of long output is lost without a side folder, and the notice names no file', async () => {
  const { workingDirectory } = (await openTerminal()).session;
  const tool = await terminal().create({ conversationId: 'c', workingDirectory });
  try {
    const context = { conversationId: 'c', workingDirectory, toolCallId: 'x', signal: new AbortController().signal };
    const result = await tool.execute(tool.parse({ command: 'seq 1 20000' }), context);
    expect(textOf(result)).toMatch(/characters left out here \.\.\.\]/);
    expect(result.fields).not.toHaveProperty('full_output_save_dir');
  } finally {
    await tool.close?.();
  }
});
