import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { systemPlatform } from '@conv/core/platform';
import { fastify } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { serveWorkspaceHost } from '../../src/routes/serve-workspace-host.ts';

const source = fileURLToPath(new URL('../../src/workspace/scratch-folder.ts', import.meta.url));
let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conv-scratch-test-'));
  vi.stubEnv('TMPDIR', folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a process that is at work in a scratch folder. Resolves with it and the folder's name. */
async function worker(): Promise<{ readonly child: ChildProcess; readonly name: string }> {
  const code = `
    import { mkdirSync } from 'node:fs';
    import { basename } from 'node:path';
    import { withScratch } from ${JSON.stringify(source)};
    await withScratch(async (folder) => {
      mkdirSync(folder + '/objects/info', { recursive: true });
      process.stdout.write(basename(folder));
      await new Promise((resolve) => process.stdin.on('end', resolve).resume());
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [name] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, name: name.toString() };
}

async function startServer(): Promise<void> {
  const app = fastify({ pluginTimeout: 0 });
  const options = { workingDirectory: folder, environment: {} };
  await serveWorkspaceHost(app, options, { platform: systemPlatform, own: () => [] });
  await app.ready();
  await app.close();
}

test('a server removes at its start what a killed one left, and nothing of processes that live', async () => {
  const [killed, living] = [await worker(), await worker()];
  for (const other of ['conv-git-notes', 'conv-git-00000000-1-1-abcdef']) mkdirSync(join(folder, other));
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  expect(readdirSync(folder)).toContain(killed.name);
  await startServer();
  expect(readdirSync(folder).toSorted()).toEqual(
    ['conv-git-00000000-1-1-abcdef', 'conv-git-notes', living.name].toSorted(),
  );
  living.child.stdin?.end();
  await once(living.child, 'exit');
  expect(readdirSync(folder)).not.toContain(living.name);
});

test.runIf(process.getuid?.() === 0)(
  'a server removes no folder of another user, who may put links into it meanwhile',
  async () => {
    const { child, name } = await worker();
    chownSync(join(folder, name), 1234, 1234);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await startServer();
    expect(readdirSync(folder)).toEqual([name]);
  },
);
