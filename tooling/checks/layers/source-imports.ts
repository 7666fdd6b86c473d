import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The files below a package's `src`, and the files of it that each imports, types included; paths are relative to `src`. */
export type SourceImports = ReadonlyMap<string, readonly string[]>;

/** Matches `import … from './x.ts'` and `export … from './x.ts'`, over several lines too. */
const RELATIVE_IMPORT = /^(?:import|export)\s[^;]*?from\s+'(\.[^']+)';/gm;

/** Reads which files of a package import which. A package without sources has none. */
export function sourceImports(root: string, dir: string): SourceImports {
  const src = join(root, dir, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(src, file), 'utf8');
      const targets = [...text.matchAll(RELATIVE_IMPORT)].map(([, target = '']) =>
        relative(src, join(src, dirname(file), target)),
      );
      return [file, [...new Set(targets)]];
    }),
  );
}
