import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { privateIn } from '../src/private-files.ts';
import { withoutDescriptors } from './limited.ts';

/** The number of a user, and of a group, to which no file belongs. */
const OTHERS = 65_534;

test('files and folders of the system that are not for every user are found at every depth', () => {
  const folder = mkdtempSync(join(tmpdir(), 'private-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['open', 'closed']) mkdirSync(join(folder, name));
  for (const name of ['open/all', 'open/owner', 'closed/all']) writeFileSync(join(folder, name), '');
  symlinkSync('open/owner', join(folder, 'link'));
  chmodSync(join(folder, 'open/all'), 0o644);
  chmodSync(join(folder, 'open/owner'), 0o640);
  chmodSync(join(folder, 'open'), 0o755);
  chmodSync(join(folder, 'closed'), 0o750);
  expect(privateIn(folder)).toEqual([
    { kind: 'empty', path: join(folder, 'closed') },
    { kind: 'blank', path: join(folder, 'open/owner') },
  ]);
});

test.runIf(process.platform === 'linux')('private files are not taken for absent while no folder can be opened', () => {
  withoutDescriptors(() =>
    expect(() => privateIn('/etc')).toThrow(
      'The sandbox started nothing, because this process cannot look at /etc now',
    ),
  );
});

test.runIf(process.getuid?.() === 0)('a file that the user of this process cannot read itself needs no mount', () => {
  const folder = mkdtempSync(join(tmpdir(), 'private-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const modes = { 'closed folder': 0o750, 'folder with files of known names': 0o751, 'folder to list': 0o740 };
  for (const [name, mode] of Object.entries(modes)) {
    mkdirSync(join(folder, name));
    chmodSync(join(folder, name), mode);
  }
  for (const name of ['closed', 'of a group']) writeFileSync(join(folder, name), '', { mode: 0o640 });
  chownSync(join(folder, 'of a group'), 0, OTHERS);
  chownSync(join(folder, 'folder to list'), 0, OTHERS);
  const script = `
    const { privateIn } = await import(${JSON.stringify(new URL('../src/private-files.ts', import.meta.url).href)});
    process.setgid(${OTHERS});
    process.setgroups([]);
    process.setuid(${OTHERS});
    console.log(JSON.stringify(privateIn(${JSON.stringify(folder)})));`;
  const found = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(JSON.parse(found)).toEqual([
    { kind: 'empty', path: join(folder, 'folder to list') },
    { kind: 'empty', path: join(folder, 'folder with files of known names') },
    { kind: 'blank', path: join(folder, 'of a group') },
  ]);
});
