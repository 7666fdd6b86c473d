import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { openTerminal } from './open-terminal.ts';
import { terminal } from './tested-terminal.ts';

const VALUE = 'tok-1f9c7be2a4d84c6e';

test('P9: onOutput of a call gets what its command prints while it runs, masked, and the result has it too', async () => {
  const heard: string[] = [];
  const shell = await openTerminal(terminal(), {
    secrets: fakeSecrets({ TOKEN: VALUE }),
    onOutput: (text) => heard.push(text),
  });
  const printed = (): string => heard.join('');
  const running = shell.run('echo "begun $TOKEN"; until [ -e go ]; do sleep 0.02; done; echo ended');
  await vi.waitUntil(() => printed().includes('\n'), { timeout: 100_000, interval: 10 });
  expect(printed()).toBe('begun <secret-hidden>\n');
  writeFileSync(join(shell.session.workingDirectory, 'go'), '');
  expect(textOf(await running)).toBe('begun <secret-hidden>\nended');
  expect(printed()).toBe('begun <secret-hidden>\nended\n');
});
