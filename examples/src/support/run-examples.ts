import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';

/** Milliseconds after which an example is taken to hang. */
const TIMEOUT = 180_000;

/** Where examples are, and where is told what became of them. */
export interface Stage {
  /** A folder with programs, one for each example. */
  readonly folder: string;
  /** Programs in it that are none. */
  readonly except?: readonly string[];
  readonly print: (line: string) => void;
}

/** The names of the examples. */
export function examplesIn({ folder, except = [] }: Pick<Stage, 'folder' | 'except'>): readonly string[] {
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.js') ? [basename(file, '.js')] : []));
  return names.filter((name) => !except.includes(name)).toSorted();
}

/**
 * Runs every example in a process of its own, one after the other, with a line for each and all that a failed one wrote.
 * Resolves whether every claim of every example held; a folder without any is a failure.
 */
export async function runExamples(stage: Stage): Promise<boolean> {
  const names = examplesIn(stage);
  const failed: string[] = [];
  for (const name of names) {
    const started = performance.now();
    const { problem, output } = await runQuietly(join(stage.folder, `${name}.js`));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    stage.print(`${problem === undefined ? '✓' : '✗'} ${name}  ${problem ?? ''}${problem ? ', ' : ''}${seconds} s`);
    if (problem === undefined) continue;
    failed.push(name);
    stage.print(output.trimEnd());
  }
  if (names.length === 0) stage.print('there are no examples');
  else stage.print(`${names.length - failed.length} of ${names.length} examples hold`);
  return names.length > 0 && failed.length === 0;
}

/** Runs one example with its output seen and these arguments. Resolves with the exit code for this process. */
export function runExample(
  name: string,
  { folder }: Pick<Stage, 'folder'>,
  given: readonly string[] = [],
): Promise<number> {
  const child = spawn(process.execPath, [join(folder, `${name}.js`), ...given], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function runQuietly(program: string): Promise<{ readonly problem: string | undefined; readonly output: string }> {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ problem: error.message, output }));
    child.once('close', (code, signal) =>
      resolve({ problem: code === 0 ? undefined : `exit ${String(code ?? signal)}`, output }),
    );
  });
}
