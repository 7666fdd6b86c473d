import { chownSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { ContainerWorkspace } from '@conv/container';
import { describe, expect, onTestFinished, test } from 'vitest';

import { hasEngine, named, userFolder, workspaceWith } from './engine.ts';

/** A folder of the user of a container, a folder `inner` in it, and one beside it with a key. */
function places(): { readonly outer: string; readonly inner: string; readonly secret: string } {
  const outer = userFolder();
  const [inner, secret] = [join(outer, 'inner'), join(dirname(outer), 'secret')];
  for (const folder of [inner, secret]) mkdirSync(folder);
  writeFileSync(join(secret, 'key'), 'the key');
  if (process.getuid?.() === 0) for (const path of [inner, secret, join(secret, 'key')]) chownSync(path, 1234, 1234);
  return { outer, inner, secret };
}

/** Returns a maker of workspaces for one container, which stays when a workspace is stopped. */
function containerIn(folder: string): () => ContainerWorkspace {
  const options = { ...named(), folder, target: folder, keep: 'stopped', executor: true } as const;
  onTestFinished(async () => {
    await workspaceWith(options).remove();
  });
  return () => workspaceWith(options);
}

async function run(workspace: ContainerWorkspace, command: string): Promise<string> {
  const server = await workspace.start();
  const { stdout, stderr } = await server.executeCommand(command, { timeout: 100_000 });
  return `${stdout}${stderr}`.trim();
}

describe.skipIf(!hasEngine)('folders of this machine in containers, on an engine with the image', () => {
  test('a program of another container leads no start of a container elsewhere', async () => {
    const { outer, inner, secret } = places();
    await using planting = containerIn(outer)();
    const container = containerIn(inner);
    const first = container();
    expect(await run(first, 'touch mine; ls')).toBe('mine');
    await first.stop();
    await run(planting, `mv inner before && ln -s ${secret} inner`);
    await using second = container();
    await expect(run(second, 'cat key; touch planted')).rejects.toThrow(
      `expected ${inner} of this machine at ${inner}, found another folder or file, or a link`,
    );
    expect(existsSync(join(secret, 'planted'))).toBe(false);
    await run(planting, 'rm inner && mv before inner');
    expect(await run(second, 'ls')).toBe('mine');
  });

  test('a program of another container puts no folder of keys in the place of the hooks of a repository', async () => {
    const { outer, secret } = places();
    // it began when there was no repository, so it writes in all of it
    await using planting = containerIn(outer)();
    await run(planting, 'git init --quiet .');
    const container = containerIn(outer);
    const first = container();
    expect(await run(first, 'touch .git/hooks/pre-commit')).toContain('Read-only file system');
    await first.stop();
    await run(planting, `mv .git/hooks .git/before && ln -s ${secret} .git/hooks`);
    await using second = container();
    await expect(run(second, 'cat .git/hooks/key')).rejects.toThrow(`expected ${outer}/.git/hooks of this machine`);
  });

  test('a folder that is named through a link is refused, with its real path', async () => {
    const { outer, inner } = places();
    symlinkSync(inner, join(outer, 'link'));
    await using workspace = workspaceWith({ folder: join(outer, 'link') });
    await expect(workspace.start()).rejects.toThrow(
      `expected a folder by its real path, found one to which a link leads`,
    );
  });
});
