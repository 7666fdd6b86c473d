import { execFileSync } from 'node:child_process';
import { lchownSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';

import { ContainerWorkspace, type ContainerLimits } from '@conv/container';

import { programsOf } from './attempts/programs-of.ts';

/** A user without rights, as whom commands run: no container runs as root. */
const USER = 1234;

/** The word that shows that a command ran to its end. */
const CONTROL = 'control';

/** Seconds that a command of an attempt may take. */
const LONGEST = 30;

/** Limits that stand for those of a whole machine, as those of the sandboxes do. */
export const SMALL_CONTAINER: ContainerLimits = {
  memory: 512 * 2 ** 20,
  processes: 256,
  temporaryFiles: 100 * 2 ** 20,
  disk: 100 * 2 ** 20,
};

/** A container in which commands of attempts run, one after the other. All worlds have its folder for a workspace, because starts take long. */
export class Contained implements AsyncDisposable {
  /** The workspace, a repository, under the same path inside. */
  readonly folder: string;
  readonly #options: ConstructorParameters<typeof ContainerWorkspace>[0];
  #container: ContainerWorkspace;
  #missing: readonly string[] = [];

  /** Starts nothing. `base`: a folder for its folder. `limits`: default, those of `@conv/container`. */
  constructor(image: string, base: string, limits: ContainerLimits = {}) {
    this.folder = realpathSync(mkdtempSync(join(base, 'conv-contained-')));
    execFileSync('git', ['init', '--quiet', this.folder], { env: { PATH: process.env['PATH'] } });
    this.own();
    this.#options = { image, folder: this.folder, target: this.folder, limits, executor: true };
    this.#container = new ContainerWorkspace(this.#options);
  }

  /** Gives all files to the user of the container. */
  own(): void {
    if (process.getuid?.() !== 0) return;
    for (const name of ['.', ...readdirSync(this.folder, { encoding: 'utf8', recursive: true })])
      lchownSync(join(this.folder, name), USER, USER);
  }

  /** Ends the container, as a server does with that of a conversation. The next command has another one. */
  async end(): Promise<void> {
    await this.#container.close();
    this.#container = new ContainerWorkspace(this.#options);
  }

  /** Removes the files of a world. */
  clean(): void {
    for (const name of readdirSync(this.folder))
      if (name !== '.git') rmSync(join(this.folder, name), { recursive: true, force: true });
  }

  /** The programs that the last command needs and the image does not have. */
  get missing(): readonly string[] {
    return this.#missing;
  }

  /** Resolves with the output of a command, however it ends. A command whose programs the image does not have is not run. */
  async run(command: string): Promise<string> {
    this.#missing = await this.#without(programsOf(command));
    return this.#missing.length > 0 ? '' : this.#execute(command);
  }

  /** Resolves with the programs that the image does not have. Rejects if no command runs there. */
  async #without(programs: readonly string[]): Promise<readonly string[]> {
    const found = await this.#execute(`type -P ${programs.join(' ')}; echo /${CONTROL}`);
    const names = new Set(found.split('\n').map((path) => basename(path)));
    if (!names.has(CONTROL)) throw new Error(`expected a container in which commands run, found the output ${found}`);
    return programs.filter((name) => !names.has(name));
  }

  async #execute(command: string): Promise<string> {
    const server = await this.#container.start();
    try {
      const { stdout, stderr } = await server.executeCommand(command, { timeout: LONGEST * 1000 });
      return `${stdout}${stderr}`;
    } catch (error) {
      // a container that was ended at its limit starts again with the next command
      const { endReason } = this.#container;
      if (endReason === undefined) throw error;
      return endReason;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#container.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
