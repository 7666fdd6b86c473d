import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { privateIn } from '../src/private-files.ts';
import { withoutDescriptors } from './limited.ts';

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
