import { DAMAGE_USAGE, parseDamageOptions } from './damage/options.ts';
import { runDamage } from './damage/run-damage.ts';
import { TARGETS } from './damage/targets.ts';

/** Runs the campaign, prints one line of JSON, and exits with 1 unless nothing was found. */
async function main(): Promise<void> {
  const options = parseDamageOptions(process.argv.slice(2));
  if (options.help) return void process.stdout.write(DAMAGE_USAGE);
  process.stderr.write(`seed ${options.seed}\n`);
  const target = await TARGETS[options.store]();
  try {
    const sums = await runDamage(target, options);
    process.stdout.write(`${JSON.stringify(sums)}\n`);
    process.exitCode = sums.found === 0 && sums.opened > 0 ? 0 : 1;
  } finally {
    await target.dispose();
  }
}

await main();
