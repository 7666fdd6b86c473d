import { mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^(\d+)-/;

/** A home and a folder for temporary files that only the programs of one conversation see. */
export class PrivateFolders {
  readonly home: string;
  readonly temporary: string;
  readonly #root: string;

  /** Makes them in `directory`, and removes those of processes that were killed. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#root = realpathSync(mkdtempSync(join(directory, `${process.pid}-`)));
    this.home = join(this.#root, 'home');
    this.temporary = join(this.#root, 'tmp');
    mkdirSync(this.home);
    mkdirSync(this.temporary);
    for (const name of readdirSync(directory)) if (isLeft(name)) void this.#remove(join(directory, name));
  }

  async remove(): Promise<void> {
    await this.#remove(this.#root);
  }

  // Programs may have taken rights away from their own folders. What stays is removed by a later process.
  async #remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}

/** True if a folder belongs to a process that is gone. */
function isLeft(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1] ?? process.pid);
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
