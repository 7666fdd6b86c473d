import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Watchdog } from './watchdog.ts';

/** The folder of a shell's files, which a watchdog removes when this process is killed. */
export class ShellFolder {
  readonly path: string;
  readonly #watchdog: Watchdog;

  /** Makes the folder and starts its watchdog at once, because the process can be killed at any moment. */
  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'conv-terminal-'));
    this.#watchdog = new Watchdog(this.path);
  }

  /** Makes the watchdog kill the processes of the shell, too, when this process is killed. */
  watch(shell: number): void {
    this.#watchdog.watch(shell);
  }

  /** Removes the folder and ends the watchdog. Call it when the session of the shell is dead. */
  async remove(): Promise<void> {
    // files that cannot be removed are small and lie in the system's temporary folder
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    this.#watchdog.dismiss();
  }
}
