#!/usr/bin/env node
/**
 * Runs clients and servers of this project and of OpenHands against each other, as real processes. (`npm run interop`)
 *
 *     node tooling/interop/interop.mjs [--json] [--only PAIR[/CASE]]... [--keep]
 *
 * The cases are in `cases.json`, and each of them is reported; a case that cannot run is not ok. Prints a table; `--json` prints
 * one document instead. Exits with 1 when a case is not ok. `--keep` leaves the folders of servers and their logs.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PAIRS } from './pairs.mjs';
import { runPair } from './run-pair.mjs';
import { setup } from './setup.mjs';
import { table } from './table.mjs';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const log = (line) => process.stderr.write(`${line}\n`);

const cases = chosen(JSON.parse(await readFile(new URL('cases.json', import.meta.url), 'utf8')), values.only);
if (cases.length === 0) {
  log(`no case of cases.json is ${values.only.join(' or ')}`);
  process.exit(1);
}
const started = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'conv-interop-'));
const results = await runAll();
if (values.keep) log(`folders and logs: ${folder}`);
else await rm(folder, { recursive: true, force: true, maxRetries: 3 });
const failed = results.filter(({ ok }) => !ok).length;
const passed = results.length - failed;
const ms = Math.round(performance.now() - started);
process.stdout.write(
  values.json
    ? `${JSON.stringify({ passed, failed, ms, cases: results }, null, 2)}\n`
    : table(results, { passed, failed, ms }),
);
// A failed case may leave handles behind, which must not keep this process alive.
process.exit(failed === 0 ? 0 : 1);

/** Runs the pairs at the same time: mostly they wait for processes to start, and they share nothing. */
async function runAll() {
  const python = setup({ log });
  python.catch(() => {});
  const names = [...new Set(cases.map(({ pair }) => pair))];
  const perPair = names.map((pair) => {
    const own = cases.filter((each) => each.pair === pair);
    return runPair({ pair, cases: own, open: PAIRS[pair], folder: join(folder, pair.replace('/', '-')), python, log });
  });
  const all = (await Promise.all(perPair)).flat();
  return cases.map((each) => all.find((result) => result.pair === each.pair && result.case === each.case));
}

/**
 * The fixed list, or the part of it that `--only` names. CI runs every third case through studio, which passes on what the same
 * cases of the pair without it send and read.
 */
function chosen(list, only) {
  const every = (pair) => (process.env.CONV_CI !== undefined && pair === 'our-client/studio-openhands-server' ? 3 : 1);
  const all = Object.entries(list).flatMap(([pair, sentences]) =>
    Object.entries(sentences)
      .filter((_, index) => index % every(pair) === 0)
      .map(([name, asserts]) => ({ pair, case: name, asserts })),
  );
  const named = ({ pair, case: name }) => only.includes(pair) || only.includes(`${pair}/${name}`);
  return only.length === 0 ? all : all.filter(named);
}
