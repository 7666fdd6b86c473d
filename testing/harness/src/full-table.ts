import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import process from 'node:process';

/** Opens files until this process, which must run on Linux, can open no more. Returns a function that closes them. Idempotent. */
export function fillTable(): () => void {
  const pid = String(process.pid);
  const shown = ['--pid', pid, '--nofile', '--output=SOFT', '--noheadings'];
  const before = execFileSync('prlimit', shown, { encoding: 'utf8' }).trim();
  const limit = (most: string): unknown =>
    execFileSync('prlimit', ['--pid', pid, `--nofile=${most}:`], { stdio: 'ignore' });
  limit(String(Math.max(...readdirSync('/proc/self/fd').map(Number)) + 50));
  const held: number[] = [];
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    // the table is full
  }
  return () => {
    for (const file of held.splice(0)) closeSync(file);
    limit(before);
  };
}
