import { expect, test } from 'vitest';

import { ChatTerminal } from './chat/terminal.ts';
import { newFolder } from './new-folder.ts';

const cwd = newFolder();

async function helpOf(command: readonly string[], columns: number): Promise<string> {
  await using terminal = new ChatTerminal({ cwd, columns, rows: 50 }, ...command, '--help');
  expect(await terminal.ended).toBe(0);
  return terminal.written.replaceAll('\r', '');
}

test('help names all commands, and at 80 and 40 columns every line of it fits and no word is lost', async () => {
  const wide = await helpOf([], 240);
  const names = [...wide.matchAll(/^ {2}([a-z-]+)(?: \[| <)/gm)].map(([, name = '']) => name);
  expect(names).toEqual(expect.arrayContaining(['chat', 'run', 'show', 'studio', 'completion']));
  // the options of serve are those of another program
  for (const command of ['', ...names.filter((name) => name !== 'serve' && name !== 'help')]) {
    const args = command === '' ? [] : [command];
    const whole = (await helpOf(args, 240)).replace(/\s/g, '');
    for (const columns of [80, 40]) {
      const help = await helpOf(args, columns);
      for (const line of help.split('\n')) expect(line.length, `${command}: ${line}`).toBeLessThanOrEqual(columns);
      expect(help.replace(/\s/g, '')).toBe(whole);
    }
  }
});
