import { mkdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { secureRandom } from '@conv/core/platform';

import { shellFiles } from './shell-driver.ts';
import { Watchdog } from './watchdog.ts';

const FOR_US_ALONE = 0o700;

/** The folder of a shell's files, which a watchdog removes when this process is killed. */
export class ShellFolder {
  readonly path: string;
  readonly #watchdog: Watchdog;

  /** Starts the watchdog and makes its folder, in this order, because the process can be killed at any moment. */
  constructor() {
    this.path = join(realpathSync(tmpdir()), `conv-terminal-${Buffer.from(secureRandom(12)).toString('hex')}`);
    this.#watchdog = new Watchdog(this.path);
    try {
      mkdirSync(this.path, FOR_US_ALONE);
      mkdirSync(join(this.path, shellFiles.state), FOR_US_ALONE);
    } catch (error) {
      this.#watchdog.dismiss();
      throw error;
    }
  }

  /** Makes the watchdog kill the processes of the shell, too, when this process is killed. */
  watch(shell: number): void {
    this.#watchdog.watch(shell);
  }

  /** Leaves the session and the folder to the watchdog, which kills the one and removes the other within seconds. */
  leave(): void {
    this.#watchdog.takeOver();
  }

  /** Removes the folder and ends the watchdog. Call it when the session of the shell is dead. */
  async remove(): Promise<void> {
    // files that cannot be removed are small and lie in the system's temporary folder
    await rm(this.path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    this.#watchdog.dismiss();
  }
}
