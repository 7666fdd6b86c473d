import { parseArgs } from 'node:util';
import { root } from '../bootstrap/process.mjs';

/** Result of a check: the things that it looked at and the problems that it found. */
export interface Report {
  /** Number of things that were looked at, by sort; a check that saw none of a sort has checked nothing. */
  readonly saw: Readonly<Record<string, number>>;
  /** Problems, each in a sentence with the file (and line) to go to. */
  readonly problems: readonly string[];
}

/** Returns the problems of a report, and a problem for each kind of thing of which it saw none. */
export function failures(report: Report): readonly string[] {
  const sorts = Object.entries(report.saw);
  const unseen = sorts.filter(([, count]) => count === 0).map(([sort]) => `saw no ${sort}: nothing was checked`);
  if (sorts.length === 0) unseen.push('saw nothing: nothing was checked');
  return [...unseen, ...report.problems];
}

/** Runs a check on a workspace (`--root`, default this one), prints what it saw and sets the exit code. */
export async function runCheck(name: string, check: (root: string) => Report | Promise<Report>): Promise<void> {
  const { values } = parseArgs({ options: { root: { type: 'string', default: root } }, strict: false });
  const report = await check(String(values.root));
  const wrong = failures(report);
  const seen = Object.entries(report.saw).map(([sort, count]) => `${count} ${sort}`);
  process.stdout.write(`${name}: saw ${seen.join(', ') || 'nothing'}; ${wrong.length} problems\n`);
  for (const line of wrong) process.stdout.write(`  ${line}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}
