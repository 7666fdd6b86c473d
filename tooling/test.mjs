// Runs the tests of all packages through turbo and prints a line for each package as it ends, then what failed, then the totals.
// `short` leaves out the files named `*.long.test.ts`, `long` runs nothing else, `all` runs both. Further arguments go to turbo,
// and those behind `--` to vitest; files among them are chosen in place of all long ones. `--raw` prints what turbo prints.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { root } from './bootstrap/process.mjs';
import { workspacePackages } from './bootstrap/workspace.mjs';
import { countTests } from './verify/count-tests.mjs';
import { leftFiles, leftProcesses } from './verify/left-behind.mjs';
import { hasLongTests, longTestsOn } from './verify/long-tests.mjs';

/** @type {Record<string, string[]>} */
const selections = {
  short: ['--exclude=**/*.long.test.ts'],
  long: ['--passWithNoTests'],
  all: [],
};

const [tier = '', ...words] = process.argv.slice(2);
const selection = selections[tier];
if (selection === undefined) throw new TypeError(`expected short, long or all, found ${JSON.stringify(tier)}`);
const raw = words.includes('--raw');
const given = words.filter((argument) => argument !== '--raw');
const cut = given.indexOf('--');
const [forTurbo, forVitest] = cut < 0 ? [given, []] : [given.slice(0, cut), given.slice(cut + 1)];

// everything that tests make stands in one folder, so that what they leave behind is seen; servers of other users write there too
const temporary = mkdtempSync(join(tmpdir(), 'conv-tests-'));
chmodSync(temporary, 0o1777);

// many tests wait for disks, processes and servers: more of them than there are cores keep those busy; CI has other guards for that
const concurrency = Math.ceil(availableParallelism() * (process.env['CONV_CI'] === undefined ? 1.5 : 1));
// The bootstrap has built everything. Turbo itself would build once more for each selection, beside tests that run, because it
// counts arguments to what makes a build; and without its dependencies a test has no result that could be kept.
const own = ['--only', '--force', '--continue=always', '--log-prefix=task'];
/** The packages whose long tests take most of the time, the longest first. */
const slowest = ['@conv/studio', '@conv/cli', '@conv/agent-server', '@conv/persist-fs', '@conv/persist-s3'];
/** The number of other packages whose long tests one run of turbo has. */
const FEW = 4;
// starting vitest in a package only to find no file takes a second of processor
const withLong = workspacePackages().filter(({ dir }) => hasLongTests(join(root, dir)));
const isChosen = forTurbo.some((argument) => argument.startsWith('--filter'));
const others = withLong.map(({ name }) => name).filter((name) => !slowest.includes(name));
/**
 * A run of turbo.
 * @typedef {object} Run
 * @property {string[]} [names] its packages; by default all
 * @property {number} atOnce the number of packages that are tested at the same time
 */
/**
 * The runs of turbo in their order. Turbo itself begins with any package, and would end with a long one alone.
 * @type {Run[]}
 */
const runs =
  tier === 'long' && !isChosen
    ? [...slowest.map((name) => [name]), ...inGroups(others)].map((names) => ({ names, atOnce: 1 }))
    : [{ atOnce: concurrency }];
const isLong = tier === 'long' && !forVitest.some((argument) => !argument.startsWith('-'));
// files of a package share processes, and none may need what another one left there: each run has an order of its own
const ordered = forVitest.find((argument) => argument.startsWith('--sequence.seed='));
const order = ordered ?? `--sequence.seed=${Date.now()}`;
const shuffled = ['--sequence.shuffle.files', ...(ordered === undefined ? [order] : [])];
const forTests = [...selection, ...shuffled, ...forVitest];
const started = Date.now();
if (!raw) process.stdout.write(`running ${tier} tests; each package gets a line when it ends\n`);
const seconds = () => ((Date.now() - started) / 1000).toFixed(0).padStart(4);

/** Output of each package. @type {Map<string, string[]>} */
const printed = new Map();
/** @type {string[]} */
const rest = [];
let output = '';

/**
 * Takes one run after another until none is left. Resolves with their exit codes.
 * @returns {Promise<number[]>}
 */
async function lane() {
  const codes = [];
  for (let run = runs.shift(); run !== undefined; run = runs.shift()) codes.push(await play(run));
  return codes;
}

/**
 * Plays a run. Resolves with its exit code; 1 if a signal ended it.
 * @param {Run} run
 * @returns {Promise<number>}
 */
function play({ names = [], atOnce }) {
  const chosen = [`--concurrency=${atOnce}`, ...names.map((name) => `--filter=${name}`), ...forTurbo];
  const files = isLong ? filesOf(names) : [];
  const child = spawn(
    join(root, 'node_modules/.bin/turbo'),
    ['run', 'test', ...own, ...chosen, '--', ...forTests, ...files],
    {
      cwd: root,
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['inherit', 'pipe', raw ? 'inherit' : 'pipe'],
    },
  );
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      output += `${line}\n`;
      if (raw) process.stdout.write(`${line}\n`);
      else take(stripVTControlCharacters(line));
    });
  }
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(signal === null ? (code ?? 1) : 1)));
}

/**
 * Returns the files of long tests that a run plays. A program, whose files CI plays by thirds, has a run of its own.
 * @param {readonly string[]} names the packages of the run
 * @returns {readonly string[]}
 */
function filesOf(names) {
  const [name, ...more] = names;
  const found = more.length === 0 ? withLong.find((each) => each.name === name) : undefined;
  return found ? longTestsOn(join(root, found.dir), found.name, process.env['CONV_CI']) : ['.long.test.ts'];
}

/**
 * @param {readonly string[]} names
 * @returns {string[][]}
 */
function inGroups(names) {
  return Array.from({ length: Math.ceil(names.length / FEW) }, (_, at) => names.slice(at * FEW, (at + 1) * FEW));
}

/**
 * Keeps a line with its package, and reports a package that has ended.
 * @param {string} line
 */
function take(line) {
  const [, name, text = ''] = /^(@conv\/[\w-]+):test: ?(.*)$/.exec(line) ?? [];
  if (name === undefined) return void rest.push(line);
  const lines = printed.get(name) ?? [];
  printed.set(name, [...lines, text]);
  const totals =
    /^ +Tests {2}(.*)$/.exec(text)?.[1] ?? (text.startsWith('No test files found') ? 'no tests' : undefined);
  if (totals !== undefined) process.stdout.write(`${seconds()} s  ${name.padEnd(24)} ${totals}\n`);
}

const codes = (await Promise.all(Array.from({ length: concurrency }, lane))).flat();
await ended(codes.find((code) => code !== 0) ?? 0);

/**
 * Reports the run when all turbos have ended, and sets the exit code.
 * @param {number} code
 */
async function ended(code) {
  if (!raw) report(code);
  const clean = await cleanUp();
  if (code !== 0 || !clean) sayOrder();
  process.exitCode = clean ? code : 1;
}

/**
 * Removes what the tests left behind, and says so. Resolves with true if there was nothing. Files of killed programs are given
 * some seconds, because watchdogs remove them.
 */
async function cleanUp() {
  const until = Date.now() + 10_000;
  while (leftFiles(temporary).length + leftProcesses(temporary).length > 0 && Date.now() < until) await delay(200);
  const processes = leftProcesses(temporary);
  const files = leftFiles(temporary);
  for (const { pid } of processes) process.kill(pid, 'SIGKILL');
  rmSync(temporary, { recursive: true, force: true });
  for (const { pid, command } of processes) process.stdout.write(`left behind: process ${pid}, ${command}\n`);
  for (const file of files) process.stdout.write(`left behind: ${join(temporary, file)}\n`);
  if (processes.length + files.length === 0) return true;
  process.stdout.write(
    'expected: no process and no file of a test after its file of tests; end and remove them there\n',
  );
  return false;
}

/** Says how the files of a package run in the same order again. */
function sayOrder() {
  const script = tier === 'short' ? 'test' : `test:${tier}`;
  process.stdout.write(`the same order of files again: npm run ${script} -- --filter=<package> -- ${order}\n`);
}

/**
 * Prints what the packages that failed said, and the totals.
 * @param {number} code
 */
function report(code) {
  const { passed, failed } = countTests(output, []);
  if (code !== 0) {
    const broken = [...printed].filter(([, lines]) =>
      lines.some((line) => /^ *(FAIL|Error|Unhandled)|failed/.test(line)),
    );
    for (const [name, lines] of broken) {
      const first = lines.findIndex((line) => /Failed (Tests|Suites)|^ *FAIL |Unhandled/.test(line));
      process.stdout.write(`\n${name}\n${lines.slice(Math.max(0, first)).join('\n')}\n`);
    }
    if (broken.length === 0) process.stdout.write(`\n${rest.slice(-60).join('\n')}\n`);
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed in ${seconds().trim()} s\n`);
}
