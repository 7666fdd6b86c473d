#!/usr/bin/env node
import { loadHarness } from './load-harness.ts';
import { parseCommand, USAGE } from './parse-command.ts';
import { caseLine, summaryLine } from './result-lines.ts';
import { runStoreSuite } from './run-store-suite.ts';

/** Resolves with the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const command = parseCommand(args);
  if (command === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const { file, only, json } = command;
  const harness = await loadHarness(file);
  const result = await runStoreSuite(harness, only, (one) => process.stdout.write(`${caseLine(one, json)}\n`));
  process.stdout.write(`${summaryLine(result, json)}\n`);
  if (result.results.length === 0)
    throw new RangeError(`no case that applies contains ${JSON.stringify(only)}; leave it out to see all cases`);
  return result.results.every(({ failure }) => failure === undefined) ? 0 : 1;
}

const code = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 2;
});
// a store that leaves resources open must not keep the process running
process.stdout.write('', () => process.exit(code));
