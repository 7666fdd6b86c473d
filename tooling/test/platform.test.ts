import { expect, test } from 'vitest';
import { codeOf } from '../checks/platform/code-of.ts';
import { checkPlatform } from '../checks/platform.ts';
import { failures } from '../checks/report.ts';
import { folderWith } from './fixture.ts';

const seam = { 'packages/core/src/platform/system-platform.ts': 'export const now = () => Date.now();\n' };

test('comments and texts are left out, the code in templates and the modules of imports stay', () => {
  const source = [
    "import { wait } from 'node:timers/promises'; // Date.now",
    '/* Math.random',
    ' */ const text = "setTimeout" + `at ${Date.now()} setTimeout`;',
  ].join('\n');
  expect(codeOf(source).split('\n')).toEqual([
    "import { wait } from 'node:timers/promises'; ''",
    "''",
    " const text = '' + ''Date.now();",
  ]);
});

test.each([
  ['const t = Date.now();', 'reads the wall clock'],
  ['const t = new Date().toISOString();', 'reads the wall clock'],
  ['const t = performance.now();', 'reads a clock'],
  ['const t = process.hrtime.bigint();', 'reads a clock'],
  ['const t = setTimeout(work, 1);', 'sets a timer'],
  ['await new Promise(setImmediate);', 'sets a timer'],
  ["import { setTimeout as wait } from 'node:timers/promises';", 'sets a timer'],
  ['const s = AbortSignal.timeout(1);', 'sets a timer'],
  ['Atomics.wait(cells, 0, 0, 5);', 'sets a timer'],
  ['const n = Math.random();', 'draws a number'],
  ["import { randomUUID } from 'node:crypto';", 'draws an id or a number'],
  ['const id = crypto.randomUUID();', 'draws an id or a number'],
  ['const t = systemPlatform.now();', 'uses the platform of the host without an option'],
  ['await sleep(systemPlatform, 5);', 'uses the platform of the host without an option'],
])('%s in a package is a problem', (line, found) => {
  const root = folderWith({ ...seam, 'packages/one/src/a.ts': `\n${line}\n` });
  const { saw, problems } = checkPlatform(root);
  expect(saw).toEqual({ files: 2, 'files of the seam': 1, 'files for browsers': 1 });
  expect(problems).toEqual([expect.stringContaining(`packages/one/src/a.ts:2 ${found}: "`)]);
});

test('given times, defaults, methods of these names and texts are no problem', () => {
  const root = folderWith({
    ...seam,
    'packages/one/src/a.ts': [
      "import { systemPlatform } from '@conv/core/platform';",
      'const at = new Date(time);',
      'function open({ platform = systemPlatform } = {}) {}',
      'const now = options.now ?? systemPlatform.now;',
      'socket.setTimeout(5);',
      "throw new Error('such as crypto.randomUUID()');",
      'const pid = process.pid;',
    ].join('\n'),
  });
  expect(checkPlatform(root).problems).toEqual([]);
});

test('files for browsers need nothing of Node unless a file for browsers stands beside them', () => {
  const root = folderWith({
    ...seam,
    'packages/remote/src/a.ts': "import { join } from 'node:path';\n",
    'packages/remote/src/b.ts': "import type { Agent } from 'node:http';\nimport { request } from 'undici';\n",
    'packages/remote/src/c.ts': 'const bytes = Buffer.from(text);\n',
    'packages/remote/src/d.ts': "import { WebSocket } from 'ws';\n",
    'packages/remote/src/d.browser.ts': 'export const socket = WebSocket;\n',
    'packages/one/src/a.ts': "import { join } from 'node:path';\n",
  });
  expect(checkPlatform(root).problems).toEqual(
    ['a', 'b', 'c'].map((name) =>
      expect.stringMatching(new RegExp(`^packages/remote/src/${name}\\.ts:[12] needs Node`)),
    ),
  );
});

test('a workspace without packages fails', () => {
  expect(failures(checkPlatform(folderWith({ 'README.md': '' })))).toHaveLength(3);
});
