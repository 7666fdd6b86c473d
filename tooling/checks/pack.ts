import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inParallel } from './command.ts';
import { installCompilers, WORKSPACE } from './pack/compilers.ts';
import { compileConsumers, importInto, installConsumers } from './pack/consumer.ts';
import { usePrograms } from './pack/programs.ts';
import { pack } from './pack/tarball.ts';
import { compilers, tryZodVersions } from './pack/zod-versions.ts';
import { entriesOf, type Package, publicPackages } from './packages.ts';
import { type Report, runCheck } from './report.ts';

/**
 * Packs every public package and uses the tarballs as a stranger would: publint and attw look at each, then each is installed into
 * a project of its own, every entry imported, and the projects compiled with `skipLibCheck` off, under the workspace's TypeScript
 * and under those named in `TS_VERSIONS` ("5.9 6.0"). Tools are defined beside several versions of zod, and the
 * published programs are used.
 */
export async function checkPackages(root: string): Promise<Report> {
  const packages = publicPackages(root);
  if (packages.length === 0) return { saw: { tarballs: 0 }, problems: [] };
  const work = mkdtempSync(join(tmpdir(), 'conv-pack-'));
  try {
    const limit = Math.min(availableParallelism(), 4);
    const tarballs = await inParallel(packages, limit, (each) => pack(root, each, work));
    const files = new Map(tarballs.map(({ name, file }) => [name, file]));
    const versions = [WORKSPACE, ...(process.env['TS_VERSIONS'] ?? '').split(' ').filter(Boolean)];
    await installCompilers(work, [...new Set([...versions, ...compilers])]);
    const installed = await installConsumers(work, packages, files);
    const imported = await inParallel(packages, limit, (each) => importInto(work, each));
    const compiled = await inParallel(versions, 1, (version) => compileConsumers(work, packages, version));
    const agent = packages.find(({ name }) => name === '@conv/agent');
    const zod =
      agent === undefined ? { compiled: 0, problems: [] } : await tryZodVersions(work, closure(packages, agent), files);
    const needs = (name: string): readonly string[] =>
      closure(packages, packages.find((each) => each.name === name) ?? missing(name));
    const used = await usePrograms(work, { needs, files });
    return {
      saw: {
        tarballs: tarballs.length,
        files: sum(tarballs.map(({ count }) => count)),
        'installed packages': installed,
        entries: sum(packages.map((each) => entriesOf(each).length)),
        'compiled consumers': packages.length * versions.length,
        'compiled beside other versions of zod': zod.compiled,
        'runs of programs': used.runs,
      },
      problems: [
        ...[...tarballs, zod, used].flatMap(({ problems }) => problems),
        ...imported.flat(),
        ...compiled.flat(),
      ],
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The package and those of the workspace that it needs when installed: no more than these tarballs are given. */
function closure(packages: readonly Package[], of: Package): readonly string[] {
  const needed = new Set([of.name]);
  for (const name of needed) {
    const manifest = packages.find((each) => each.name === name)?.manifest;
    for (const dependency of Object.keys({ ...manifest?.dependencies, ...manifest?.peerDependencies })) {
      if (manifest?.peerDependenciesMeta?.[dependency]?.optional) continue;
      if (packages.some((each) => each.name === dependency)) needed.add(dependency);
    }
  }
  return [...needed];
}

function missing(name: string): never {
  throw new Error(`expected the public package ${name}, found none`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

if (import.meta.main) await runCheck('packages', checkPackages);
