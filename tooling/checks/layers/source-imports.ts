import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The files below a package's `src`, and the files of it that each imports, types included; paths are relative to `src`. */
export type SourceImports = ReadonlyMap<string, readonly string[]>;

/** Matches `import … from './x.ts'` and `export … from './x.ts'`, over several lines too, `import './x.ts'` and `import('./x.ts')`. */
const RELATIVE_IMPORT = /^(?:import|export)\s(?:[^;]*?from\s+)?'(\.[^']+)';|\bimport\('(\.[^']+)'\)/gm;

/** Reads which files of a package import which. A package without sources has none. */
export function sourceImports(root: string, dir: string): SourceImports {
  const src = join(root, dir, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(src, file), 'utf8');
      const targets = [...text.matchAll(RELATIVE_IMPORT)].map(([, first, later]) =>
        relative(src, join(src, dirname(file), first ?? later ?? '')),
      );
      return [file, [...new Set(targets)]];
    }),
  );
}
