#!/usr/bin/env node
/**
 * Runs clients and servers of this project and of OpenHands against each other, as real processes. (`npm run interop`)
 *
 *     node tooling/interop/interop.mjs [--release LIST] [--json] [--only PAIR[/CASE]]... [--keep]
 *
 * The cases are in `cases.json`, and each of them is reported; a case that cannot run is not ok. Prints a table; `--json` prints
 * one document instead. Exits with 1 when a case is not ok. `--keep` leaves the folders of servers and their logs. `--release`
 * names releases of OpenHands for Python, such as `1.43.1,newest`: the pairs with their programs run with each of them. `--suite PATH` runs
 * tests of OpenHands from a checkout instead, with `--theirs` against their own server; arguments behind `--` go to their runner.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { forksOf } from './forks.mjs';
import { PAIRS, WITHOUT_PYTHON } from './pairs.mjs';
import { runPair } from './run-pair.mjs';
import { parseReleases, PINNED } from './releases.mjs';
import { environment } from './servers.mjs';
import { setupRelease } from './setup-release.mjs';
import { runSuite } from './suite.mjs';
import { table } from './table.mjs';

/** Pairs of which CI runs a part: every third case, others on each day, or all cases on every third day. */
const IN_PARTS = { 'our-client/studio-openhands-server': 'cases', 'plugins/both-servers': 'days' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string' },
    theirs: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    release: { type: 'string', default: PINNED },
  },
});
const log = (line) => process.stderr.write(`${line}\n`);

if (values.suite !== undefined) {
  const place = await mkdtemp(join(tmpdir(), 'conv-suite-'));
  const [release] = parseReleases(values.release);
  const code = await runSuite(values.suite, { release, theirs: values.theirs, folder: place, args: positionals, log });
  await rm(place, { recursive: true, force: true, maxRetries: 3 });
  process.exit(code);
}

const cases = chosen(JSON.parse(await readFile(new URL('cases.json', import.meta.url), 'utf8')), values.only);
if (cases.length === 0) {
  log(`no case of cases.json is ${values.only.join(' or ')}`);
  process.exit(1);
}
const releases = parseReleases(values.release);
if (spawnSync('bash', ['-c', ':']).status !== 0) {
  log('expected bash on PATH, which the terminals of both servers need, found none; install it');
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

/** Runs the releases one after the other. Pairs without a program of OpenHands for Python run with the first of them alone. */
async function runAll() {
  const all = [];
  for (const [index, release] of releases.entries()) {
    const own = cases.filter(({ pair }) => index === 0 || !WITHOUT_PYTHON.has(pair));
    all.push(...(await runRelease(release, own)));
  }
  return all;
}

/** Runs the pairs at the same time: mostly they wait for processes to start, and they share nothing. */
async function runRelease(name, own) {
  const reference = setupRelease(name, { log }).then((found) => ({
    ...found,
    forks: forksOf(found.python, environment(folder)),
  }));
  reference.catch(() => {});
  const names = [...new Set(own.map(({ pair }) => pair))];
  const perPair = names.map((pair) => {
    const ofPair = own.filter((each) => each.pair === pair);
    const place = join(folder, name, pair.replace('/', '-'));
    return runPair({ pair, cases: ofPair, open: PAIRS[pair], folder: place, reference, log });
  });
  const all = (await Promise.all(perPair)).flat();
  const { version, forks } = await reference.catch(() => ({ version: name }));
  await forks?.close();
  return own.map((each) => {
    const result = all.find(({ pair, case: known }) => pair === each.pair && known === each.case);
    return WITHOUT_PYTHON.has(each.pair) ? result : { ...result, release: version };
  });
}

/**
 * The fixed list, or the part of it that `--only` names. CI runs a third of what studio passes on, because the same cases run without it. The
 * server of the pair of plugins imports OpenHands' packages again, so it starts on every third day.
 */
function chosen(list, only) {
  const day = Number(process.env.CONV_CI ?? 0) % 3;
  const isDue = (pair, index) => {
    const part = process.env.CONV_CI === undefined ? undefined : IN_PARTS[pair];
    return part === undefined || (part === 'cases' ? index % 3 : 0) === day;
  };
  const all = Object.entries(list).flatMap(([pair, sentences]) =>
    Object.entries(sentences)
      .filter((_, index) => isDue(pair, index))
      .map(([name, asserts]) => ({ pair, case: name, asserts })),
  );
  const named = ({ pair, case: name }) => only.includes(pair) || only.includes(`${pair}/${name}`);
  return only.length === 0 ? all : all.filter(named);
}
