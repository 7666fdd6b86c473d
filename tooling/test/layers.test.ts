import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { importCycles } from '../checks/layers/import-cycles.ts';
import { sourceImports } from '../checks/layers/source-imports.ts';
import { wrongEdges } from '../checks/layers/wrong-edges.ts';

/** Writes files below the `src` of a package in a folder of its own, and returns that folder. */
function packageWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'conv-layers-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, 'package/src', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return root;
}

const files = {
  'index.ts': "export { high } from './high/high.ts';\n",
  'high/high.ts':
    "import { low } from '../low/low.ts';\nimport type {\n  A,\n} from './a.ts';\nimport { join } from 'node:path';\n",
  'high/a.ts': "import type { B } from './b.ts';\n",
  'high/b.ts': "export type { A } from './a.ts';\n",
  'low/low.ts': "import type { High } from '../high/high.ts';\n",
};

test('source imports hold values, types and imports over several lines', () => {
  const imports = sourceImports(packageWith(files), 'package');
  expect(imports.get('high/high.ts')).toEqual(['low/low.ts', 'high/a.ts']);
  expect(imports.size).toBe(5);
});

test('files that import each other in a circle are found, by types too', () => {
  const cycles = importCycles(sourceImports(packageWith(files), 'package'));
  expect(cycles.map((cycle) => cycle.toSorted())).toEqual(
    expect.arrayContaining([
      ['high/a.ts', 'high/b.ts'],
      ['high/high.ts', 'low/low.ts'],
    ]),
  );
  expect(cycles).toHaveLength(2);
});

test('an import of a higher folder and a folder without a place are problems', () => {
  const imports = sourceImports(packageWith({ ...files, 'new/x.ts': '' }), 'package');
  expect(wrongEdges(imports, ['low', 'high'])).toEqual([
    expect.stringMatching(/^low\/low\.ts imports high\/high\.ts, which is in a higher layer/),
    expect.stringMatching(/^new has no place/),
  ]);
});

test('a listed file beside the folders has a place among them, and every other one stands above all', () => {
  const beside = {
    'kinds.ts': "export type { Low } from './low/low.ts';\n",
    'main.ts': "import './high/high.ts';\n",
    'low/low.ts': "const { main } = await import('../main.ts');\n",
    'high/high.ts': "import type { Low } from '../kinds.ts';\n",
  };
  const imports = sourceImports(packageWith(beside), 'package');
  expect(wrongEdges(imports, ['kinds.ts', 'low', 'high'])).toEqual([
    expect.stringMatching(/^kinds\.ts imports low\/low\.ts, which is in a higher layer/),
    expect.stringMatching(/^low\/low\.ts imports main\.ts, which is in a higher layer/),
  ]);
});
