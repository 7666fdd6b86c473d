import { run } from './command.ts';
import { type Report, runCheck } from './report.ts';

/** Lints (with types) and checks the format of every file; `--fix` repairs what can be repaired. */
export async function checkLint(root: string, fix: boolean): Promise<Report> {
  const lint = await run('oxlint', ['--deny-warnings', ...(fix ? ['--fix'] : [])], root);
  const format = await run('oxfmt', fix ? [] : ['--check'], root);
  const problems = [lint, format].flatMap(({ status, output }) => (status === 0 ? [] : [output.trim()]));
  if (fix && format.status === 0) return { saw: { 'linted files': count(lint.output) }, problems };
  return { saw: { 'linted files': count(lint.output), 'formatted files': count(format.output) }, problems };
}

/** Both tools end with "… on N files …". */
function count(output: string): number {
  return Number(/ on (\d+) files/.exec(output)?.[1] ?? 0);
}

if (import.meta.main) {
  const fix = process.argv.includes('--fix');
  await runCheck('lint', (root) => checkLint(root, fix));
}
