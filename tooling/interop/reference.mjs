import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('reference.py', import.meta.url));

/**
 * Starts the reference as one process that answers requests until it is closed.
 *
 * @param {string} python the path {@link setup} resolved with
 */
export function startReference(python) {
  const child = spawn(python, [PROGRAM, 'serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last = Promise.resolve();

  function ask(request) {
    const answer = last.then(async () => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('The reference ended before it answered');
      const { result, error } = JSON.parse(value);
      if (error !== undefined) throw new Error(`The reference says ${error}`);
      return result;
    });
    last = answer.catch(() => {});
    return answer;
  }

  return {
    /** Returns the reference's reading of the folder; the folder stays as it is. */
    describe: (folder, secretKey) => ask({ command: 'describe', folder, secret_key: secretKey }),
    /** Sends one message with the reference, whose model answers `answer`, and describes the folder afterwards. */
    continueFolder: (folder, { message, answer, secretKey }) =>
      ask({ command: 'continue', folder, message, answer, secret_key: secretKey }),
    /** Opens the folder, and keeps it open; each step resolves with the ids of the events that it knows then. */
    hold: (folder, { workspace, secretKey }) => {
      const step = (request) => ask({ command: 'held', folder, secret_key: secretKey, ...request });
      return {
        open: () => step({ do: 'open', workspace }),
        say: (message) => step({ do: 'say', message }),
        close: () => step({ do: 'close' }),
      };
    },
    /** Writes what the reference makes of the logs of `view_cases.py` to `<folder>/<case>.json`; resolves with their number. */
    projectViews: (folder) => ask({ command: 'views', folder }),
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}
