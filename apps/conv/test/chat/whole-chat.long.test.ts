import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { untilThere } from '../command.ts';
import { newFolder } from '../new-folder.ts';
import { chatModel, environmentOf } from './model.ts';
import { ChatTerminal, KEYS, type TerminalSetting } from './terminal.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

const COLOR = new RegExp(String.raw`\u001b\[(?:3[0-7]|9[0-7]|[127])m`);

/** A call that is longer than the rows of every terminal of the tests. */
const LONG = `echo ${Array.from({ length: 30 }, (_, at) => `word-${at}`).join(' ')}`;

test.each([
  { columns: 120, rows: 40, color: true },
  { columns: 80, rows: 24, color: true },
  { columns: 40, rows: 24, color: true },
  { columns: 120, rows: 40, color: false },
  { columns: 40, rows: 24, color: false },
])(
  'P1: a chat with approvals, kill -9 and a return is whole at $columns columns, colour $color',
  async ({ columns, rows, color }) => {
    const env = { ...environmentOf(model), ...(color ? {} : { NO_COLOR: '1' }) };
    const where: TerminalSetting = { cwd: newFolder(), columns, rows, env };
    let id = '';
    let said = '';
    {
      await using terminal = new ChatTerminal(where, 'chat', '--policy', 'always');
      await terminal.until('ready', 'screen');
      [, id = ''] = /^([0-9a-f-]{36})/m.exec(terminal.text) ?? [];
      await approve(terminal, `please \`${LONG}\``);
      // every word of a call is shown before a person decides, whatever the width
      const shown = terminal.text.replaceAll(/\s*\n\s*(?:│ )?/g, ' ');
      for (const word of LONG.split(' ')) expect(shown).toContain(word);
      await terminal.until('run finished');
      await terminal.until('ready', 'screen');
      await approve(terminal, 'please `touch begun; sleep 600`');
      await untilThere(join(where.cwd, 'begun'));
      terminal.type(KEYS.ctrlC);
      await terminal.until('pausing after this step');
      terminal.type(KEYS.ctrlC);
      await terminal.until('run paused');
      await terminal.until(/^\S? ?paused/m, 'screen');
      await terminal.ask('please `touch made`', /touch made[^]*Run it\?/, 'screen');
      terminal.kill();
      await terminal.ended;
      said += terminal.written;
      expectFits(terminal, columns);
    }
    expect(existsSync(join(where.cwd, 'made'))).toBe(false);
    await using terminal = new ChatTerminal(where, 'chat', id.slice(0, 8));
    await terminal.until('Run it?', 'screen');
    await terminal.ask('y', 'run finished');
    await terminal.until('ready', 'screen');
    expect(existsSync(join(where.cwd, 'made'))).toBe(true);
    terminal.type(KEYS.ctrlD);
    expect(await terminal.ended).toBe(0);
    expectFits(terminal, columns);
    expect(terminal.text.replaceAll('\n', '')).toContain(`conv chat ${id}`);
    said += terminal.written;
    expect(COLOR.test(said)).toBe(color);
  },
);

/** Sends a message whose call is asked about, and approves the call. */
async function approve(terminal: ChatTerminal, message: string): Promise<void> {
  await terminal.ask(message, 'Run it?', 'screen');
  terminal.send('y');
}

/** Expects lines that fit, and nothing of the changing part of the screen in the log. */
function expectFits(terminal: ChatTerminal, columns: number): void {
  const lines = terminal.text.split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  const above = terminal.text.slice(0, terminal.text.length - terminal.screen.length);
  expect(above).not.toMatch(/Run it\?|^❯ *$/m);
}
