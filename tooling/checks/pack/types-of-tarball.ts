import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

/** Ways to resolve that a package of modules alone cannot serve. */
const ignored: readonly unknown[] = ['node10', 'node16-cjs'];

/**
 * Returns what attw finds wrong with the declarations in a tarball. A process of its own for each tarball would take twice the
 * time, because each begins with a compiler that is cold.
 */
export async function problemsOfTypes(file: string, without: readonly string[]): Promise<readonly string[]> {
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(file)));
  const analysis = await checkPackage(packed, { excludeEntrypoints: [...without] });
  if (!analysis.types) return ['there are no declarations'];
  return analysis.problems
    .filter((problem) => !('resolutionKind' in problem && ignored.includes(problem.resolutionKind)))
    .map((problem) => JSON.stringify(problem));
}
