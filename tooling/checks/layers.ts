import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './command.ts';
import { FOLDER_ORDERS } from './layers/folder-orders.ts';
import { importCycles } from './layers/import-cycles.ts';
import { sourceImports, type SourceImports } from './layers/source-imports.ts';
import { wrongEdges } from './layers/wrong-edges.ts';
import { allPackages } from './packages.ts';
import { type Report, runCheck } from './report.ts';

/**
 * Checks that dependencies point the allowed way. `turbo boundaries` does it by tags, but skips a package that has none, so here
 * every package must have exactly one tag that the root knows. Inside a package imports form no cycle, types included, and folders
 * import only lower folders.
 */
export async function checkLayers(root: string): Promise<Report> {
  const packages = allPackages(root);
  const known = knownTags(root);
  const problems = packages.flatMap(({ dir, name }) => {
    const tags = tagsOf(join(root, dir, 'turbo.json'));
    const valid = tags.length === 1 && known.includes(tags[0] ?? '');
    return valid
      ? []
      : [`${dir}/turbo.json: ${name} needs exactly one tag of ${known.join(', ')}, has [${tags.join()}]`];
  });
  const boundaries = await run('turbo', ['boundaries', '--skip-infer'], root);
  if (boundaries.status !== 0) problems.push(boundaries.output.trim());
  const [, files = '0', checked = '0'] = /Checked (\d+) files in (\d+) packages/.exec(boundaries.output) ?? [];
  if (Number(checked) < packages.length)
    problems.push(`turbo boundaries left out ${packages.length - Number(checked)} packages`);
  const inside = packages.map((each) => checkInside(root, each.dir));
  problems.push(...inside.flatMap(({ problems: found }) => found));
  const imports = inside.reduce((sum, { edges }) => sum + edges, 0);
  return {
    saw: {
      packages: packages.length,
      tags: known.length,
      files: Number(files),
      'checked packages': Number(checked),
      'imports inside packages': imports,
    },
    problems,
  };
}

/** Checks the imports between the files of one package. */
function checkInside(root: string, dir: string): { readonly edges: number; readonly problems: readonly string[] } {
  if (!existsSync(join(root, dir, 'src'))) return { edges: 0, problems: [] };
  const imports = sourceImports(root, dir);
  const order = FOLDER_ORDERS[dir] ?? (mustBeOrdered(dir, imports) ? [] : undefined);
  const problems = [
    ...importCycles(imports).map((cycle) => `${cycle.join(', ')} import each other in a circle`),
    ...(order ? wrongEdges(imports, order) : []),
  ];
  const edges = [...imports.values()].reduce((sum, targets) => sum + targets.length, 0);
  return { edges, problems: problems.map((problem) => `${dir}/src: ${problem}`) };
}

/** True for a package in `packages` whose sources have folders. */
function mustBeOrdered(dir: string, imports: SourceImports): boolean {
  return dir.startsWith('packages/') && [...imports.keys()].some((file) => dirname(file) !== '.');
}

function knownTags(root: string): readonly string[] {
  const { boundaries } = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8')) as {
    boundaries?: { tags?: Record<string, unknown> };
  };
  return Object.keys(boundaries?.tags ?? {});
}

function tagsOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { tags?: string[] }).tags ?? [];
}

if (import.meta.main) await runCheck('layers', checkLayers);
