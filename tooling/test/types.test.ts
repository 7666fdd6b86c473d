import { expect, test } from 'vitest';
import { checkTypes } from '../checks/types.ts';
import { manifest, workspaceWith } from './fixture.ts';

const config = (include: string): object => ({
  extends: '../../tsconfig.base.json',
  compilerOptions: { noEmit: true },
  include: [include],
});

test('packages with equal options are one program, in which each wrong line is found', async () => {
  const root = workspaceWith({
    'tsconfig.base.json': { compilerOptions: { strict: true, lib: ['es2024'], types: [] } },
    'packages/one/tsconfig.json': config('src'),
    'packages/one/src/index.ts': "export const one: number = '1';\n",
    'packages/two/package.json': { ...manifest, name: '@conv/two' },
    'packages/two/tsconfig.json': config('src'),
    'packages/two/src/index.ts': 'export const two = 2;\n',
    'packages/three/package.json': { ...manifest, name: '@conv/three' },
    'packages/three/tsconfig.json': config('sources'),
  });
  expect(await checkTypes(root)).toEqual({
    saw: { packages: 3, programs: 1, files: 2 },
    problems: [
      'packages/three: no file is in a program; see its tsconfig.json',
      expect.stringMatching(/^packages\/one\/src\/index\.ts\(1,14\): error TS2322: /),
    ],
  });
});
