import { run } from './command.ts';
import { type Report, runCheck } from './report.ts';

/**
 * Finds unused files, exports and dependencies: once over everything, once over what is shipped (where a
 * devDependency imported by a source file shows).
 */
export async function checkUnused(root: string): Promise<Report> {
  const runs = { everything: [] as string[], production: ['--production', '--strict'] };
  const saw: Record<string, number> = {};
  const problems: string[] = [];
  for (const [name, flags] of Object.entries(runs)) {
    const { status, output } = await run('knip', ['--no-progress', '--debug', ...flags], root);
    saw[`files (${name})`] = analysedFiles(output);
    if (status !== 0)
      problems.push((await run('knip', ['--no-progress', '--no-config-hints', ...flags], root)).output.trim());
  }
  return { saw, problems };
}

/** knip prints no count, but with `--debug` it lists the files it read */
function analysedFiles(output: string): number {
  return new Set(output.match(/[\w@./-]+\/src\/[\w./-]+\.ts/g)).size;
}

if (import.meta.main) await runCheck('unused', checkUnused);
