import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { sandboxHere } from '../src/conversation/sandbox-here.ts';

const isHere = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** A folder outside of the folder of temporary files, which is another folder inside. */
function newFolder(): string {
  const base = join(import.meta.dirname, '../.cache');
  mkdirSync(base, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(base, 'sandbox-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.skipIf(!isHere)('agents in a sandbox read the paths of --sandbox-read, and no path beside them', async () => {
  const folder = newFolder();
  const [workspace, shown, other] = ['workspace', 'shown', 'other'].map((name) => join(folder, name));
  for (const path of [workspace, shown, other] as string[]) {
    mkdirSync(path);
    writeFileSync(join(path, 'file'), 'read');
  }
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'caches'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { confined } = await sandboxHere({ sandbox: 'on', sandboxRead: [shown as string] }, `fs:${folder}/store`);
  const session = { conversationId: 'one', workingDirectory: workspace as string };
  const confinement = await confined.sandbox?.open(session);
  onTestFinished(() => confinement?.close());
  expect(confinement?.place(`${shown}/file`, 'read')).toBe(`${shown}/file`);
  expect(() => confinement?.place(`${shown}/file`, 'write')).toThrow('read-only');
  expect(() => confinement?.place(`${other}/file`, 'read')).toThrow('it is not there');
});

test('--sandbox-read is refused without a sandbox, and for a path that is not there', async () => {
  const folder = newFolder();
  await expect(sandboxHere({ sandbox: undefined, sandboxRead: [folder] }, 'fs:store')).rejects.toThrow(
    'has no effect without a sandbox: add --sandbox auto',
  );
  await expect(sandboxHere({ sandbox: 'auto', sandboxRead: [`${folder}/none`] }, 'fs:store')).rejects.toThrow(
    `expected a folder or a file to be read, found none at ${folder}/none`,
  );
});
