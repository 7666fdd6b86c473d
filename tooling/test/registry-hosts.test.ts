import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { checkRegistryHosts } from '../checks/registry-hosts.ts';
import { folderWith } from './fixture.ts';

// Put together here, so that this file names none of them.
const host = ['registry', 'example', 'org'].join('.');
const page = ['npmjs', 'com'].join('.');

test('package hosts and addresses in the lock file are named with their line', async () => {
  const root = folderWith({
    'README.md': `fine\nsee https://www.${page}/x\n`,
    '.npmrc': `@scope:${'registry'}=https://${host}/\n`,
    'pnpm-lock.yaml':
      'resolution: {tarball: https://files.example.invalid/x.tgz}\n    deprecated: see https://example.invalid\n',
    'src/fine.ts': 'export const registry = createRegistry();\n',
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  const { saw, problems } = await checkRegistryHosts(root);
  expect(saw).toEqual({ files: 4, 'lock files': 1 });
  expect(problems.toSorted()).toEqual([
    `.npmrc:1 names a package host: ${host}`,
    `README.md:2 names a package host: ${page}`,
    'pnpm-lock.yaml:1 holds an address: resolution: {tarball: https://files.example.invalid/x.tgz}',
  ]);
});
