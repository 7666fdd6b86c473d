import { spawn, type ChildProcess } from 'node:child_process';

// Reads until the pipe from our process ends, then kills the rest of the session. POSIX sh, no tools but ps and rm.
const SCRIPT = `
read -r _
sleep 1
if [ -r /proc/self/stat ]; then
  for pass in 1 2 3; do
    for stat in /proc/[0-9]*/stat; do
      read -r line <"$stat" || continue
      pid=\${stat#/proc/}; pid=\${pid%/stat}
      set -- "$1" "$2" \${line##*) }
      [ "$6" = "$1" ] && kill -KILL "$pid"
    done
  done
else
  for pid in $(ps -A -o pid=,ppid=,pgid= | while read -r pid parent group; do
    [ "$parent" = "$1" ] || [ "$group" = "$1" ] && echo "$pid"
  done); do kill -KILL "$pid"; done
fi 2>/dev/null
rm -rf "$2"
`;

/** A small process that outlives ours to kill a shell's session when ours is killed, programs that ignore hangups too. */
export class Watchdog {
  readonly #child: ChildProcess;

  constructor(session: number, folder: string) {
    this.#child = spawn('/bin/sh', ['-c', SCRIPT, 'conv-terminal-watchdog', String(session), folder], {
      // a session of its own, so that what kills our process group spares it
      detached: true,
      // it needs none of our keys, and its environment can be read for as long as the shell lives
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child.on('error', () => undefined);
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
  }

  /** Ends it: the session has been killed already. */
  dismiss(): void {
    this.#child.kill('SIGKILL');
  }
}
