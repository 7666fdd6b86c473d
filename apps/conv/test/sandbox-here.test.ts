import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { type GivenOptions, settingsOf } from '../src/config/settings.ts';
import { type SandboxHere, sandboxHere } from '../src/conversation/sandbox-here.ts';

const isHere = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** Resolves with the sandbox of the options of a command. */
async function sandboxOf(options: GivenOptions, store: string): Promise<SandboxHere> {
  return sandboxHere(await settingsOf(options, undefined), store);
}

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
  const { confined } = await sandboxOf({ sandbox: 'on', sandboxRead: [shown as string] }, `fs:${folder}/store`);
  const session = { conversationId: 'one', workingDirectory: workspace as string };
  const confinement = await confined.sandbox?.open(session);
  onTestFinished(() => confinement?.close());
  expect(confinement?.place(`${shown}/file`, 'read')).toBe(`${shown}/file`);
  expect(() => confinement?.place(`${shown}/file`, 'write')).toThrow('read-only');
  expect(() => confinement?.place(`${other}/file`, 'read')).toThrow('it is not there');
});

test('--sandbox-read is refused without a sandbox, and for a path that is not there', async () => {
  const folder = newFolder();
  await expect(sandboxOf({ sandbox: 'off', sandboxRead: [folder] }, 'fs:store')).rejects.toThrow(
    '--sandbox-read has no effect without a sandbox: leave out --sandbox off',
  );
  await expect(sandboxOf({ sandbox: 'auto', sandboxRead: [`${folder}/none`] }, 'fs:store')).rejects.toThrow(
    `expected a folder or a file to be read, found none at ${folder}/none`,
  );
});

test('a path or a host without a sandbox is refused with the places in the configuration that said both', async () => {
  const config = join(newFolder(), 'conv.yaml');
  writeFileSync(config, 'sandbox: off\nsandboxHosts: [example.org]\n');
  await expect(sandboxOf({ config }, 'fs:store')).rejects.toThrow(
    `sandboxHosts in ${config} has no effect without a sandbox: leave out sandbox: off in ${config}`,
  );
  await expect(sandboxOf({ config, sandboxRead: ['/usr'] }, 'fs:store')).rejects.toThrow(
    `--sandbox-read has no effect without a sandbox: leave out sandbox: off in ${config}`,
  );
});

test.skipIf(!isHere)('agents in a sandbox reach the hosts of --sandbox-host alone, and the start says so', async () => {
  const folder = newFolder();
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'caches'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { notice } = await sandboxOf({ sandbox: 'auto', sandboxHost: ['example.org'] }, `fs:${folder}/store`);
  expect(notice).toBe('Commands run in a sandbox (bubblewrap, which reaches only example.org).');
});

test('--sandbox-host is refused without a sandbox, with a closed network, and for what is no host', async () => {
  const sandboxHost = ['example.org'];
  await expect(sandboxOf({ sandboxHost, sandbox: 'off' }, 'fs:store')).rejects.toThrow(
    '--sandbox-host has no effect without a sandbox: leave out --sandbox off',
  );
  await expect(sandboxOf({ sandboxHost, sandbox: 'closed' }, 'fs:store')).rejects.toThrow('found closed');
  const wrong = { sandboxHost: ['https://example.org'], sandbox: 'auto' } as const;
  await expect(sandboxOf(wrong, 'fs:store')).rejects.toThrow('found "https://example.org"');
});
