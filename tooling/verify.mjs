// Runs every guard of the project and counts: the build by itself, the rest some at a time. `npm run verify`
// is the list for a laptop, `.ci/run` adds what takes minutes. Plain JavaScript: CI starts it on the machine's own Node, and each
// guard bootstraps itself, so that the README's commands are tested from the very beginning.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { oldest } from './bootstrap/node.mjs';
import { root } from './bootstrap/process.mjs';
import { workspacePackages } from './bootstrap/workspace.mjs';
import { countTests } from './verify/count-tests.mjs';
import { failedBeside, failedFiles, failedPackages, failedTests } from './verify/failed-tests.mjs';
import { hasLongTests } from './verify/long-tests.mjs';
import { childrenTime } from './verify/processor-time.mjs';

/** Milliseconds after which a guard hangs: a long one, and any other. */
const LONGEST = { long: 40 * 60_000, other: 15 * 60_000 };

/** Guards that run at the same time: more than there are cores, because they wait for networks, disks and processes. */
const lanes = cpus().length + 1;

/** The line of a guard that passes without a look, with the reason. The final lines repeat it. */
const UNTESTED = /^.* not tested here: .*$/gm;

/** Number of lines of a failed guard that are shown again at the end. */
const LAST_LINES = 25;

/**
 * @typedef {object} Guard
 * @property {string} name
 * @property {string} script
 * @property {string[]} [args]
 * @property {string} [node] the version to run it on
 * @property {readonly string[]} [packages] the names of the packages whose tests it plays; all by default
 * @property {boolean} [ciOnly]
 * @property {boolean} [alone] nothing runs beside it, and it runs before the others, in the order of the list
 * @property {boolean} [long] it takes minutes, so it begins before the others
 * @property {boolean} [again] it depends on a network, on programs of others or on what else the machine does: CI tries it a second
 * time, when nothing else runs any more, and says so. A guard that looks for lost data has no second try
 */

/**
 * Packages whose tests run on the oldest Node, too: packages that use files, processes, threads or what is new in the language, and the
 * server with its protocols. In all packages the compiler refuses names that this Node lacks.
 */
const onOldest = ['core', 'persist-fs', 'persist-sqlite', 'tools', 'agent-server'].map((name) => `@conv/${name}`);

/** Tests of the program `conv` on the oldest Node: each command with a store and a server, and editors with tools of MCP. */
const programsOnOldest = ['test/every-command.long.test.ts', 'test/editor/acp.long.test.ts'];

/** @type {Guard[]} */
const guards = [
  { name: 'build', script: 'build', alone: true },
  { name: 'long tests', script: 'test:long', args: ['--raw'], ciOnly: true, long: true },
  { name: 'tests', script: 'test', args: ['--raw'], long: true },
  // waits for networks and processes more than any other, so it begins with the tests
  {
    name: 'clients, servers and folders of OpenHands',
    script: 'interop',
    ciOnly: true,
    long: true,
    again: true,
  },
  {
    name: `packages that need most of Node, on ${oldest}`,
    script: 'test',
    args: ['--raw', ...onOldest.map((name) => `--filter=${name}`)],
    node: oldest,
    packages: onOldest,
    ciOnly: true,
    long: true,
  },
  {
    name: `commands of conv, on ${oldest}`,
    script: 'test:long',
    args: ['--raw', '--filter=@conv/cli', '--', ...programsOnOldest],
    node: oldest,
    packages: ['@conv/cli'],
    ciOnly: true,
    long: true,
  },
  { name: 'ways out of the sandbox', script: 'escape', ciOnly: true, long: true },
  // names the reason and passes where no container runs
  { name: 'containers', script: 'image', args: ['--short'], ciOnly: true, long: true, again: true },
  { name: 'demo', script: 'start', again: true },
  { name: 'demo, remote', script: 'start', args: ['--remote'], again: true },
  { name: 'examples', script: 'examples', again: true },
  { name: 'types', script: 'typecheck' },
  { name: 'lint and format', script: 'lint' },
  { name: 'layers', script: 'layers' },
  { name: 'unused code', script: 'unused' },
  { name: 'equal lines in two packages', script: 'duplicates' },
  { name: 'package shape', script: 'check:shape' },
  { name: 'one platform seam', script: 'check:platform' },
  { name: 'tarballs', script: 'pack:check', long: true, again: true },
  { name: 'API documentation', script: 'docs', long: true },
  { name: 'documents', script: 'check:docs' },
  { name: 'names of the documented API', script: 'check:seed' },
  { name: 'English', script: 'check:english' },
  { name: 'no registry host', script: 'check:hosts' },
  { name: 'S3 on moto', script: 'check:s3', ciOnly: true, long: true, again: true },
  { name: 'crashes', script: 'crash', args: ['--rounds', '3', '--all-stores'], ciOnly: true },
  { name: 'damage at rest', script: 'damage', args: ['--flips', '300'], ciOnly: true },
  {
    name: 'damage of databases',
    script: 'damage',
    args: ['--store', 'sqlite', '--flips', '20', '--seed', '7'],
    ciOnly: true,
  },
  {
    name: 'damage of rows',
    script: 'damage',
    args: ['--store', 'postgres', '--flips', '40', '--seed', '7'],
    ciOnly: true,
  },
  {
    name: 'damage of objects',
    script: 'damage',
    args: ['--store', 's3', '--flips', '40', '--seed', '7'],
    ciOnly: true,
  },
  {
    name: 'two writers',
    script: 'crash',
    args: ['--rounds', '2', '--all-stores', '--two-writers'],
    ciOnly: true,
  },
  { name: 'bad networks', script: 'chaos', args: ['--rounds', '4'], ciOnly: true },
  {
    name: 'ways back through every protocol',
    script: 'doors',
    args: ['--rounds', '1', '--kills', '20', '--json'],
    ciOnly: true,
  },
  {
    name: 'servers that die',
    script: 'failover',
    args: ['--seconds', '20', '--conversations', '8', '--thinking', '1000'],
    ciOnly: true,
  },
  {
    name: 'benchmarks, beside the last committed run',
    script: 'bench',
    args: ['--quick', '--json', '--guard'],
    ciOnly: true,
    long: true,
    again: true,
  },
];

const ci = process.argv.includes('--ci');
/** The turn of CI, which chooses long tests and rows of tables: others on each day, and the same ones with the same number. */
const turn = process.env['CONV_CI'] ?? String(Math.floor(Date.now() / 86_400_000));
const chosen = guards.filter((guard) => ci || guard.ciOnly !== true);
const tested = workspacePackages().filter(({ manifest }) => manifest.scripts?.['test'] !== undefined);
/** @type {{ index: number, name: string, problem: string | undefined, seconds: string, processor: number | undefined }[]} */
const results = [];
let tests = { passed: 0, failed: 0 };
/** Processor time of all commands that have ended, in seconds. */
let processorTime = childrenTime();
/** Lines about what failed, passed on a second try alone, or was not tested. @type {string[]} */
const remarks = [];
/** Counts what passed on a second try alone. */
let passedAgain = 0;
/** Last lines of failed guards, which are hard to find in thousands of lines. @type {string[]} */
const ends = [];
/** Second tries, which wait until nothing else runs. @type {(() => Promise<void>)[]} */
const secondTries = [];

if (ci) process.stdout.write(`long tests are those of turn ${turn}; the same again: CONV_CI=${turn} .ci/run\n`);
for (const [index, guard] of chosen.entries()) {
  if (guard.alone === true) await play(guard, index, process.stdout);
}
const beside = [...chosen.entries()].filter(([, guard]) => guard.alone !== true);
const waiting = [...beside.filter(([, { long }]) => long), ...beside.filter(([, { long }]) => !long)];
await Promise.all(Array.from({ length: lanes }, () => lane()));
for (const tryAgain of secondTries) await tryAgain();
results.sort((a, b) => a.index - b.index);

const failed = results.filter((result) => result.problem !== undefined);
process.stdout.write(`\n${ends.join('')}`);
for (const { name, problem, seconds, processor } of results) {
  const verdict = problem === undefined ? 'passed' : 'FAILED';
  const used = processor === undefined ? '' : `${processor.toFixed(0).padStart(5)} s of processor  `;
  process.stdout.write(`${verdict}  ${seconds.padStart(6)} s  ${used}${name}\n`);
}
for (const remark of remarks) process.stdout.write(`${remark}\n`);
if (passedAgain > 0) process.stdout.write(`${passedAgain} passed on a second try alone: mend them\n`);
process.stdout.write(`${tests.passed} tests and ${results.length - failed.length} guards passed\n`);
process.stdout.write(
  `${tests.passed + results.length - failed.length} passed, ${tests.failed + failed.length} failed\n`,
);
process.exitCode = failed.length === 0 && tests.failed === 0 ? 0 : 1;

/**
 * The last lines of a guard that failed.
 * @param {Guard} guard
 * @param {string} problem
 * @param {string} output
 */
function endOf({ name }, problem, output) {
  const lines = output.trimEnd().split('\n').slice(-LAST_LINES);
  return `FAIL  ${name}, ${problem}; its last lines:\n${lines.map((line) => `      ${line}\n`).join('')}`;
}

/** Takes the guards that wait, one after the other; prints each as a whole. */
async function lane() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [index, guard] = next;
    let printed = '';
    await play(guard, index, { write: (text) => void (printed += text) });
    process.stdout.write(printed);
  }
}

/**
 * Runs a guard and notes what came of it.
 * @param {Guard} guard
 * @param {number} index
 * @param {{ write: (text: string) => unknown }} out
 */
async function play(guard, index, out) {
  const label = `${index + 1}/${chosen.length} ${guard.name}`;
  const command = ['run', '--silent', guard.script, ...(guard.args ? ['--', ...guard.args] : [])];
  out.write(`\n=== ${label}: npm ${command.filter((word) => word !== '--silent').join(' ')}\n`);
  const started = Date.now();
  const { problem, output, processor } = await runGuard(command, guard, out);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const counted = guard.script.startsWith('test') ? countTests(output, namesFor(guard)) : undefined;
  if (counted !== undefined && guard.node === undefined)
    tests = { passed: tests.passed + counted.passed, failed: tests.failed + counted.failed };
  for (const [line] of output.matchAll(UNTESTED)) remarks.push(line);
  const result = { index, name: guard.name, problem: problem ?? counted?.problem, seconds, processor };
  results.push(result);
  out.write(`--- ${label}: ${result.problem === undefined ? 'passed' : `FAILED, ${result.problem}`} (${seconds} s)\n`);
  if (result.problem === undefined) return;
  ends.push(endOf(guard, result.problem, output));
  if (counted !== undefined) {
    secondTries.push(async () => {
      if (!(await passAgain(guard, output))) return;
      result.problem = undefined;
      if (guard.node === undefined)
        tests = { passed: tests.passed + counted.failed, failed: tests.failed - counted.failed };
    });
  } else if (ci && guard.again) {
    secondTries.push(async () => {
      result.problem = (await runGuard(command, guard, process.stdout)).problem;
      if (result.problem === undefined) remarkSecondTry(guard.name);
    });
  }
}

/**
 * True if the files whose tests failed pass when they alone run again, as after a test that the machine's load upset. A package
 * that failed in another way runs again as a whole. Names the failed tests in either case: a test that needs a second try is to
 * be mended, but stops no change. Errors beside tests, and what tests left behind, have no second try: no file is known for them.
 * @param {{ name: string, script: string, node?: string, packages?: readonly string[] }} guard
 * @param {string} output
 */
async function passAgain(guard, output) {
  const again = failedPackages(output, namesFor(guard));
  const failures = failedTests(output);
  const files = failedFiles(output, again);
  const filters = ['--raw', ...again.map((name) => `--filter=${name}`), ...(files.length > 0 ? ['--', ...files] : [])];
  const passed =
    ci &&
    !failedBeside(output) &&
    again.length > 0 &&
    again.length <= 3 &&
    (await runGuard(['run', '--silent', guard.script, '--', ...filters], guard, process.stdout)).problem === undefined;
  for (const failure of failures.length > 0 ? failures : again) {
    if (passed) remarkSecondTry(failure);
    else remarks.push(`failed: ${failure}`);
  }
  return passed;
}

/**
 * Names what the machine's load may have upset. The final lines repeat and count it, because a second try hides it otherwise.
 * @param {string} name a guard, or a test with its package
 */
function remarkSecondTry(name) {
  passedAgain += 1;
  remarks.push(`passed on a second try: ${name}`);
}

/**
 * Returns the names of the packages whose tests a guard has to see.
 * @param {{ script: string, packages?: readonly string[] }} guard
 */
function namesFor({ script, packages }) {
  return tested
    .filter(({ dir }) => script !== 'test:long' || hasLongTests(join(root, dir)))
    .map(({ name }) => name)
    .filter((name) => packages === undefined || packages.includes(name));
}

/**
 * @param {readonly string[]} command
 * @param {Guard} guard
 * @param {{ write: (text: string) => unknown }} out
 * @returns {Promise<{ problem: string | undefined, output: string, processor: number | undefined }>}
 */
function runGuard(command, { node, long }, out) {
  const longest = long ? LONGEST.long : LONGEST.other;
  const env = {
    // hundreds of processes start, of the same few programs
    NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
    ...process.env,
    ...(ci && { CONV_CI: turn }),
    ...(node !== undefined && { CONV_NODE: node, CONV_SHORT: '1' }),
  };
  // A process group of its own, so that a hanging guard ends with everything it started.
  const child = spawn('npm', command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  let problem = /** @type {string | undefined} */ (undefined);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      out.write(text);
    });
  }
  const endGroup = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  };
  const interrupt = () => {
    endGroup('SIGINT');
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  const timer = setTimeout(() => {
    problem = `no end after ${longest / 1000} s`;
    endGroup('SIGKILL');
  }, longest);
  return new Promise((resolve) => {
    let processor = /** @type {number | undefined} */ (undefined);
    child.once('exit', () => {
      const before = processorTime;
      processorTime = childrenTime();
      if (before !== undefined && processorTime !== undefined) processor = processorTime - before;
    });
    child.once('error', (error) => (problem ??= error.message));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupt);
      if (code !== 0) problem ??= `exit ${code ?? signal}`;
      resolve({ problem, output, processor });
    });
  });
}
