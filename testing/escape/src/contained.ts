import { execFileSync } from 'node:child_process';
import { lchownSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { ContainerWorkspace } from '@conv/container';

/** A user without rights, as whom commands run: no container runs as root. */
const USER = 1234;

/** Seconds that a command of an attempt may take. */
const LONGEST = 30;

/** A container in which commands of attempts run, one after the other. All worlds have its folder for a workspace, because starts take long. */
export class Contained implements AsyncDisposable {
  /** The workspace, a repository, under the same path inside. */
  readonly folder: string;
  readonly #container: ContainerWorkspace;

  /** Starts nothing. `base`: a folder for its folder. */
  constructor(image: string, base: string) {
    this.folder = realpathSync(mkdtempSync(join(base, 'conv-contained-')));
    execFileSync('git', ['init', '--quiet', this.folder], { env: { PATH: process.env['PATH'] } });
    this.own();
    this.#container = new ContainerWorkspace({ image, folder: this.folder, target: this.folder, executor: true });
  }

  /** Gives all files to the user of the container. */
  own(): void {
    if (process.getuid?.() !== 0) return;
    for (const name of ['.', ...readdirSync(this.folder, { encoding: 'utf8', recursive: true })])
      lchownSync(join(this.folder, name), USER, USER);
  }

  /** Removes the files of a world. */
  clean(): void {
    for (const name of readdirSync(this.folder))
      if (name !== '.git') rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  /** Resolves with the output of a command, however it ends. */
  async run(command: string): Promise<string> {
    const server = await this.#container.start();
    const { stdout, stderr } = await server.executeCommand(command, { timeout: LONGEST * 1000 });
    return `${stdout}${stderr}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#container.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
