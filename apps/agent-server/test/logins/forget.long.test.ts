import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { fernetCipher } from '@conv/secrets';
import { loginRecords } from '@conv/server/records';
import { openRegistry } from '@conv/stores';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from '../new-folder.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

test('an operator removes the logins of all people, also logins that no key opens any more', async () => {
  const cwd = newFolder();
  const opened = await openRegistry(`fs:${join(cwd, 'conversations')}`, join(cwd, 'settings'));
  onTestFinished(() => opened.close());
  const [old, now] = ['an earlier key', 'the key of today'].map((key) =>
    loginRecords(opened.registry, fernetCipher(key)),
  );
  await old?.replace('one', { tokens: 'x' }, null);
  await now?.replace('two', { tokens: 'y' }, null);
  const env = { OH_PERSISTENCE_DIR: join(cwd, 'settings'), CONV_STORE: `fs:${join(cwd, 'conversations')}` };
  const forget = () => execa(process.execPath, [program, 'logins', 'forget'], { cwd, env });
  expect((await forget()).stdout).toBe('Removed 2 logins. MCP servers ask for those that are used again.');
  expect(await now?.get('two')).toBeUndefined();
  expect((await forget()).stdout).toMatch(/^Removed 0 logins/);
});
