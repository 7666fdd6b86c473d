import process from 'node:process';

/** Longest warning. */
const LONGEST = 2_000;

/**
 * Shows process warnings as lines of this program, because they may hold untrusted text that Node would print unchanged, bypassing
 * `process.stderr`. Without warnings, as with NODE_NO_WARNINGS, nothing is shown.
 */
export function showWarnings(): void {
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name === 'DeprecationWarning' && process.noDeprecation === true) return;
    const text = name === 'Warning' ? message : `${message} (${name})`;
    // loaded when there is something to show: the help of a command needs no words of others
    void import('./output.ts').then(({ plain, warn }) => warn(plain(text, LONGEST)));
  });
}
