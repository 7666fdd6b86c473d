import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../bootstrap/process.mjs';
import { longTestsOn } from '../verify/long-tests.mjs';

test.each(['studio', 'conv', 'agent-server'])('each long test of apps/%s is played on one of three turns', (app) => {
  const folder = join(root, 'apps', app);
  const name = app === 'conv' ? '@conv/cli' : `@conv/${app}`;
  const parts = ['20786', '20787', '20788'].map((turn) => longTestsOn(folder, name, turn));
  const lengths = parts.map(({ length }) => length);
  expect(parts.flat().toSorted()).toEqual(globSync('test/**/*.long.test.ts', { cwd: folder }).toSorted());
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
  expect(longTestsOn(folder, name, '20789')).toEqual(parts[0]);
});

test('all long tests of another package are played on each turn, and all of a program without a turn', () => {
  expect(longTestsOn(join(root, 'packages/tools'), '@conv/tools', '20786')).toEqual(['.long.test.ts']);
  expect(longTestsOn(join(root, 'apps/conv'), '@conv/cli', undefined)).toEqual(['.long.test.ts']);
});
