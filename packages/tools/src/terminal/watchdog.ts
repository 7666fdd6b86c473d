import { spawn, type ChildProcess } from 'node:child_process';

// Reads the session, if there is one, and then until the pipe from our process ends. Kills the rest of the session and removes the
// folder, whose name may be empty. POSIX sh, no tools but ps and rm.
const SCRIPT = `
read -r session
read -r _
sleep 1
if [ -z "$session" ]; then
  :
elif [ -r /proc/self/stat ]; then
  for pass in 1 2 3; do
    for stat in /proc/[0-9]*/stat; do
      read -r line <"$stat" || continue
      pid=\${stat#/proc/}; pid=\${pid%/stat}
      set -- "$1" \${line##*) }
      [ "$5" = "$session" ] && kill -KILL "$pid"
    done
  done
else
  for pid in $(ps -A -o pid=,ppid=,pgid= | while read -r pid parent group; do
    [ "$parent" = "$session" ] || [ "$group" = "$session" ] && echo "$pid"
  done); do kill -KILL "$pid"; done
fi 2>/dev/null
rm -rf "$1"
`;

/**
 * A small process that outlives ours. When ours is killed, it kills the session that it watches, including programs that ignore
 * hangups, and removes a folder.
 */
export class Watchdog {
  readonly #child: ChildProcess;

  /** Starts it. A folder that is removed can be left out. */
  constructor(folder = '') {
    this.#child = spawn('/bin/sh', ['-c', SCRIPT, 'conv-terminal-watchdog', folder], {
      // a session of its own, so that what kills our process group spares it
      detached: true,
      // it needs none of our keys, and its environment can be read for as long as the shell lives
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child.on('error', () => undefined);
    // there is no pipe when the process has no files left to open
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
  }

  /** Tells it the session, by its first process. */
  watch(session: number): void {
    this.#child.stdin?.write(`${session}\n`);
  }

  /** Makes it kill the session and remove the folder now, as when this process is killed. */
  takeOver(): void {
    this.#child.stdin?.end();
  }

  /** Ends it: the session is dead, and the folder removed. */
  dismiss(): void {
    this.#child.kill('SIGKILL');
  }
}
