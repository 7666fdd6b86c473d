import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

import { expect, test } from 'vitest';

/** Imports an entry point in a process that says that it is this version of Node. */
function importOn(version: string, entry: string): { readonly status: number | null; readonly stderr: string } {
  const module = pathToFileURL(join(import.meta.dirname, '../../src', entry)).href;
  const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); await import('${module}');`;
  const args = ['--input-type=module', '--no-warnings', '--eval', script];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stderr };
}

test.for(['index.ts', 'store/index.ts', 'contract/tool/index.ts', 'events/index.ts', 'platform/index.ts'])(
  'P13: importing %s on an older Node says once which Node is needed',
  (entry) => {
    const { status, stderr } = importOn('20.11.0', entry);
    expect(status).toBe(1);
    expect(stderr.match(/Error: @conv needs Node 22\.19 or newer, this is 20\.11\.0/g)).toHaveLength(1);
  },
);

test.for(['22.19.0', '24.0.0'])('importing on Node %s throws nothing', (version) => {
  expect(importOn(version, 'index.ts')).toMatchObject({ status: 0, stderr: '' });
});
