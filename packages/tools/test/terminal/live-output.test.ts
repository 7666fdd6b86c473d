import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { terminal, type TerminalOutput } from '../../src/index.ts';
import { textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { openTerminal } from './open-terminal.ts';

const VALUE = 'tok-1f9c7be2a4d84c6e';

test('P9: onOutput gets what a command prints while it runs, masked, and the result has it too', async () => {
  const heard: TerminalOutput[] = [];
  const factory = terminal({ onOutput: (output) => heard.push(output) });
  const shell = await openTerminal(factory, { secrets: fakeSecrets({ TOKEN: VALUE }) });
  const printed = (): string => heard.map(({ text }) => text).join('');
  const running = shell.run('echo "begun $TOKEN"; until [ -e go ]; do sleep 0.02; done; echo ended');
  await vi.waitUntil(() => printed().includes('begun'), { timeout: 20_000, interval: 10 });
  expect(printed()).toBe('begun <secret-hidden>\n');
  writeFileSync(join(shell.session.workingDirectory, 'go'), '');
  expect(textOf(await running)).toBe('begun <secret-hidden>\nended');
  expect(printed()).toBe('begun <secret-hidden>\nended\n');
  expect(new Set(heard.map(({ conversationId }) => conversationId))).toEqual(new Set([shell.session.conversationId]));
});

test('an error of onOutput becomes a warning and does not disturb the command', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  const shell = await openTerminal(
    terminal({
      onOutput: () => {
        throw new Error('no screen');
      },
    }),
  );
  expect(textOf(await shell.run('echo fine'))).toBe('fine');
  expect(warned).toHaveBeenCalledWith('terminal: onOutput failed: no screen', 'TerminalWarning');
  warned.mockRestore();
});

test('a listener is no part of the stored description of the terminal', () => {
  expect(terminal({ onOutput: () => undefined, maxTimeout: 5 }).params).toEqual({ maxTimeout: 5 });
});
