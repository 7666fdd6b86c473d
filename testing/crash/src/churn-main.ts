import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { ChurnResult } from './churn.ts';
import { openChurnGround } from './churn/open-churn-ground.ts';
import { CHURN_USAGE, parseChurnOptions } from './churn/options.ts';

const CHILD = fileURLToPath(new URL('./churn.js', import.meta.url));

/** Plays each store in a process with few descriptors, prints a line of JSON for each, and exits with 1 if one leaks or fails. */
async function main(): Promise<void> {
  const { help, rounds, stores, descriptors } = parseChurnOptions(process.argv.slice(2));
  if (help) return void process.stdout.write(CHURN_USAGE);
  for (const store of stores) {
    const ground = await openChurnGround(store);
    try {
      const result = await playIn(ground.address, rounds, descriptors);
      process.stdout.write(`${JSON.stringify({ store, ...result })}\n`);
      if (result.failed > 0 || leaks(result)) process.exitCode = 1;
    } finally {
      await ground.close();
    }
  }
}

/** True if the rounds hold more resources than after the first rounds. */
function leaks({ held: [warm, end] }: ChurnResult): boolean {
  return end?.some((count, at) => count > (warm?.[at] ?? 0)) ?? true;
}

async function playIn(address: string, rounds: number, descriptors: number): Promise<ChurnResult> {
  const limited = ['-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, process.execPath, CHILD, address, `${rounds}`];
  const child = spawn('sh', limited, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the rounds on ${address} ended with ${String(code)}`);
  return JSON.parse(said) as ChurnResult;
}

await main();
