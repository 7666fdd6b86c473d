import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The process that started this one: it may be gone before the task begins. */
const startedBy = process.ppid;

/** An error that the user can act on; shown without a stack. */
export class BootstrapError extends Error {}

/**
 * Writes a line for each step taken, on stderr, so that stdout stays the task's own.
 * @param {string} line
 */
export function announce(line) {
  process.stderr.write(`conv: ${line}\n`);
}

/**
 * Runs the task in the foreground and ends this process the way the task ended.
 * @param {readonly [string, ...string[]]} command
 * @param {NodeJS.ProcessEnv} environment
 */
export async function runProgram(command, environment) {
  const [file, ...args] = command;
  const { exit } = start(() => spawn(file, args, { cwd: root, env: environment, stdio: 'inherit' }));
  const ended = await exit;
  if (ended.signal !== null) {
    process.kill(process.pid, ended.signal);
    // The signal may be one this process survives; the shell's convention says the same thing.
    process.exit(128 + constants.signals[ended.signal]);
  }
  process.exit(ended.code ?? 1);
}

/**
 * Runs a step in silence; its output is shown only when it fails.
 * @param {string} what
 * @param {readonly [string, ...string[]]} command
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} [cwd]
 * @returns {Promise<string>} what the step wrote to stdout
 */
export async function runQuietly(what, command, environment, cwd = root) {
  const [file, ...args] = command;
  const { child, exit } = start(() => spawn(file, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] }));
  /** @type {Buffer[]} */
  const everything = [];
  /** @type {Buffer[]} */
  const standardOutput = [];
  child.stdout.on('data', (chunk) => (everything.push(chunk), standardOutput.push(chunk)));
  child.stderr.on('data', (chunk) => everything.push(chunk));
  const ended = await exit;
  if (ended.signal !== null) process.exit(128 + constants.signals[ended.signal]);
  if (ended.code !== 0) {
    process.stderr.write(Buffer.concat(everything));
    throw new BootstrapError(`${what} failed (exit code ${ended.code})`);
  }
  return Buffer.concat(standardOutput).toString('utf8');
}

/**
 * Starts a child that hears of signals from its first moment. A signal that comes before the listeners would end this process alone.
 *
 * @template {import('node:child_process').ChildProcess} Child
 * @param {() => Child} begin
 * @returns {{ child: Child, exit: Promise<{ code: number | null, signal: NodeJS.Signals | null }> }}
 */
function start(begin) {
  const stopForwarding = forwardSignals((signal) => child.kill(signal));
  const child = begin();
  const exit = new Promise((resolveExit, reject) => {
    child.once('error', (error) => {
      stopForwarding();
      reject(new BootstrapError(`${child.spawnfile} could not be started: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      stopForwarding();
      resolveExit({ code, signal });
    });
  });
  return { child, exit };
}

/**
 * The child decides what a signal means. A terminal hands Ctrl-C to the whole process group, so the child has it
 * already and a forwarded one would count as the second, impatient one; npm passes a copy on to us as well. Without a
 * terminal only this process was meant, and the child hears of it through us.
 * @param {(signal: NodeJS.Signals) => void} kill
 */
function forwardSignals(kill) {
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  /** @type {[NodeJS.Signals, () => void][]} */
  const listeners = [];
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])) {
    const fromTerminal = signal === 'SIGINT' || signal === 'SIGQUIT';
    const listener = () => {
      if (!(atTerminal && fromTerminal)) kill(signal);
    };
    process.on(signal, listener);
    listeners.push([signal, listener]);
  }
  // npm hands signals to a shell that dies of them alone; who started us being gone means that we should go, too.
  const watch = setInterval(() => {
    if (process.ppid !== startedBy) kill('SIGTERM');
  }, 250);
  return () => {
    clearInterval(watch);
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}
