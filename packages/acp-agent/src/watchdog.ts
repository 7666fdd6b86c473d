import { spawn } from 'node:child_process';

// Reads until the pipe from our process ends, in whatever way that ends. The program has two seconds to end by itself. POSIX sh.
const SCRIPT = 'read -r _; sleep 2; kill -KILL "-$1" 2>/dev/null';

/**
 * Starts a small process that outlives ours. When ours is killed, it kills the process group of a program that does not end by itself. Returns a function
 * that dismisses it, because the program has ended.
 */
export function watchOver(group: number): () => void {
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'conv-program-watchdog', String(group)], {
    // a session of its own, so that what ends our process group spares it
    detached: true,
    // it needs none of our keys, and its environment can be read for as long as the program lives
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.on('error', () => undefined);
  // there is no pipe when the process has no files left to open
  watchdog.stdin?.on('error', () => undefined);
  watchdog.unref();
  return () => void watchdog.kill('SIGKILL');
}
