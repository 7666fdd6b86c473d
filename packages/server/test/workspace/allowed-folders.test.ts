import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { AllowedFolders } from '../../src/workspace/allowed-folders.ts';

const NOBODY = 65_534;

let folder: string;
let allowed: AllowedFolders;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-allowed-')));
  mkdirSync(join(folder, 'in/deep'), { recursive: true });
  mkdirSync(join(folder, 'out'));
  writeFileSync(join(folder, 'out/secret'), 'x');
  writeFileSync(join(folder, 'in/file'), 'x');
  symlinkSync(join(folder, 'out'), join(folder, 'in/door'));
  symlinkSync('deep', join(folder, 'in/shortcut'));
  allowed = new AllowedFolders([join(folder, 'in')]);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('an allowed folder gives the real path of what lies inside, present or not', async () => {
  expect(await allowed.check(join(folder, 'in'))).toBe(join(folder, 'in'));
  expect(await allowed.check(join(folder, 'in/shortcut/new/file'))).toBe(join(folder, 'in/deep/new/file'));
});

it.each(['in/../out/secret', 'in/door/secret', 'in/door/new', 'in/door', 'in2', '', 'in/deep/../../out'])(
  'a path %j is refused, because it leaves the allowed folder',
  async (path) => {
    await expect(allowed.check(join(folder, path))).rejects.toMatchObject({ code: 'OUTSIDE' });
  },
);

it('a relative path and a path with a null character are refused', async () => {
  await expect(allowed.check('in/file')).rejects.toMatchObject({
    code: 'NOT_ABSOLUTE',
    message: 'Path must be absolute',
  });
  await expect(allowed.check(`${folder}/in/a\0b`)).rejects.toMatchObject({ code: 'INVALID' });
});

it('every absolute path is taken when the root is allowed', async () => {
  const all = new AllowedFolders(['/']);
  expect(await all.check(join(folder, 'in/door/secret'))).toBe(join(folder, 'out/secret'));
  expect(await all.check('/')).toBe('/');
});

it("P9: a hard link to a file with the server's keys needs the right to approve, like the file itself", async () => {
  const keys = join(folder, 'out');
  linkSync(join(keys, 'secret'), join(folder, 'in/notes'));
  linkSync(join(folder, 'in/file'), join(folder, 'in/same'));
  for (const own of [keys, join(keys, 'secret')]) {
    const guarded = new AllowedFolders(['/'], () => [own]);
    await expect(guarded.check(join(folder, 'in/notes'), 'session')).rejects.toMatchObject({ code: 'OUTSIDE' });
    expect(await guarded.check(join(folder, 'in/notes'), 'approver')).toBe(join(folder, 'in/notes'));
    expect(await guarded.check(join(folder, 'in/same'), 'session')).toBe(join(folder, 'in/same'));
  }
});

it('P9: a tree with a hard link to server keys needs the right to approve, unreadable folders or not', async () => {
  const guarded = new AllowedFolders(['/'], () => [join(folder, 'out')]);
  chmodSync(join(folder, 'in/deep'), 0);
  await withoutPrivileges(async () => {
    expect(await guarded.checkTree(join(folder, 'in'), 'session')).toBe(join(folder, 'in'));
    linkSync(join(folder, 'out/secret'), join(folder, 'in/notes'));
    await expect(guarded.checkTree(join(folder, 'in'), 'session')).rejects.toMatchObject({ code: 'OUTSIDE' });
    expect(await guarded.checkTree(join(folder, 'in'), 'approver')).toBe(join(folder, 'in'));
  });
});

/** Calls `use` as another user than root, whom every folder lets in. */
async function withoutPrivileges(use: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return use();
  for (const name of ['', 'in', 'in/deep', 'out', 'out/secret']) chownSync(join(folder, name), NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await use();
  } finally {
    process.seteuid?.(0);
  }
}

it('no path leaves the allowed folders, however it is written', async () => {
  const words = fc.array(fc.constantFrom('..', '.', 'in', 'out', 'door', 'deep', 'secret', 'new', '', 'shortcut'), {
    maxLength: 8,
  });
  let [inside, outside] = [0, 0];
  await fc.assert(
    fc.asyncProperty(words, async (parts) => {
      const real = await allowed.check(`${folder}/in/${parts.join('/')}`).catch(() => undefined);
      expect(real === undefined || `${real}/`.startsWith(join(folder, 'in/'))).toBe(true);
      if (real === undefined) outside++;
      else inside++;
    }),
  );
  expect(Math.min(inside, outside)).toBeGreaterThan(0);
});
