import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('forks.py', import.meta.url));

/** A forked program of OpenHands, with the members of a child process that the checks use. */
class Fork extends EventEmitter {
  exitCode = null;
  signalCode = null;

  constructor(pid) {
    super();
    this.pid = pid;
  }

  kill(signal) {
    if (this.exitCode === null && this.signalCode === null) process.kill(this.pid, signal);
  }

  end(code) {
    if (code < 0) this.signalCode = String(code);
    else this.exitCode = code;
    this.emit('exit', this.exitCode, this.signalCode);
  }
}

/**
 * Forks OpenHands' programs from one process, because each would import for ten seconds of processor. The process starts with the
 * first program.
 *
 * @param {string} python the path that `setup` resolved with
 * @param {NodeJS.ProcessEnv} environment of the process that imports
 */
export function forksOf(python, environment) {
  let parent;
  const asked = [];
  const running = new Map();

  function start() {
    const child = spawn(python, [PROGRAM], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { pid, code } = JSON.parse(line);
      if (code === undefined) {
        running.set(pid, new Fork(pid));
        asked.shift().resolve(running.get(pid));
      } else {
        running.get(pid).end(code);
        running.delete(pid);
      }
    });
    child.once('exit', () => {
      for (const { reject } of asked.splice(0)) reject(new Error('expected a forked program, but forks.py ended'));
    });
    return child;
  }

  return {
    /** Resolves with the program as soon as it runs; `program` is what `forks.py` takes. */
    fork(program) {
      parent ??= start();
      const answer = Promise.withResolvers();
      asked.push(answer);
      parent.stdin.write(`${JSON.stringify({ socket: null, ...program })}\n`);
      return answer.promise;
    },
    /** Ends the process, and kills the programs that still run. */
    async close() {
      if (parent === undefined || parent.exitCode !== null) return;
      const exited = once(parent, 'exit');
      parent.stdin.end();
      await exited;
    },
  };
}
