import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Confinement } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { isHere, newFolder, openIn, runIn } from './open-sandbox.ts';

interface Places {
  readonly folder: string;
  readonly workspace: string;
  readonly file: string;
}

/** Makes a workspace with a file in a folder of it. */
function newPlaces(): Places {
  const folder = newFolder();
  const workspace = join(folder, 'workspace');
  const file = join(workspace, 'sub/file');
  mkdirSync(join(workspace, 'sub'), { recursive: true });
  writeFileSync(file, 'content');
  return { folder, workspace, file };
}

function expectHidden(confinement: Confinement, file: string): void {
  expect(() => confinement.place(file, 'read')).toThrow(`does not let tools read ${file}: it is hidden or protected`);
}

describe.skipIf(!isHere)('a file of the workspace', () => {
  test('a file is read at its own path, and hidden as soon as a path to hide is made around it', async () => {
    const { workspace, file } = newPlaces();
    const confinement = await openIn(workspace, { hide: [join(workspace, 'later')] });
    expect(confinement.place(file, 'read')).toBe(file);
    renameSync(join(workspace, 'sub'), join(workspace, 'later'));
    expectHidden(confinement, join(workspace, 'later/file'));
  });

  test('a file is hidden by a path to hide that leads to it from elsewhere, even if nothing was there first', async () => {
    const { folder, workspace, file } = newPlaces();
    const [there, missing] = [join(folder, 'there'), join(folder, 'missing')];
    symlinkSync(join(workspace, 'sub'), there);
    const confinement = await openIn(workspace, { hide: [there, missing] });
    expectHidden(confinement, file);
    rmSync(there);
    expect(confinement.place(file, 'read')).toBe(file);
    symlinkSync(file, missing);
    expectHidden(confinement, file);
  });

  test('a file is hidden from the next program when the user moves a path to hide into the workspace', async () => {
    const { folder, workspace, file } = newPlaces();
    const moved = join(folder, 'moved');
    mkdirSync(moved);
    const confinement = await openIn(workspace, { hide: [moved] });
    expect(confinement.place(file, 'read')).toBe(file);
    rmSync(moved, { recursive: true });
    symlinkSync(join(workspace, 'sub'), moved);
    expect(runIn(confinement, workspace)('cat sub/file').status).not.toBe(0);
    expectHidden(confinement, file);
  });

  test('a file is read where a link stands in the place of a path to protect, and not written', async () => {
    const { workspace, file } = newPlaces();
    const confinement = await openIn(workspace, { protect: ['hooks/'] });
    rmSync(join(workspace, 'hooks'), { recursive: true });
    symlinkSync('sub', join(workspace, 'hooks'));
    expect(confinement.place(file, 'read')).toBe(file);
    expect(() => confinement.place(file, 'write')).toThrow('The sandbox cannot protect hooks/');
  });
});
