import type { Confinement, ProgramStart, Sandbox } from '@conv/core/tool';

/** The number of confinements without a program that stay open, so that the next command finds its home and `/tmp` again. */
const KEPT = 32;

interface Entry {
  readonly confinement: Promise<Confinement>;
  programs: number;
}

/** A program that starts in a sandbox. */
export interface Entered {
  readonly start: ProgramStart;
  /** Returns, once, why the sandbox ended the program, in words; `undefined` if it did not. */
  readonly endOf: (pid: number) => string | undefined;
  /** Call it when the program has ended. */
  readonly left: () => void;
}

/**
 * Confines programs that belong to no conversation. Those of one folder share a home and a `/tmp`. The folder `/` can be no workspace, so a
 * program that begins there is confined to the working folder.
 */
export class ConfinedFolders {
  readonly #sandbox: Sandbox;
  readonly #workingDirectory: string;
  /** The folders in which commands ran, in the order in which commands left them. */
  readonly #folders = new Map<string, Entry>();

  constructor(sandbox: Sandbox, workingDirectory: string) {
    this.#sandbox = sandbox;
    this.#workingDirectory = workingDirectory;
  }

  /** Resolves with the program to start in place of one. Rejects `ToolError` if its folder cannot be confined. */
  async enter(start: ProgramStart): Promise<Entered> {
    const folder = start.cwd === '/' ? this.#workingDirectory : start.cwd;
    const entry = this.#folders.get(folder) ?? {
      confinement: this.#sandbox.open({ conversationId: `commands in ${folder}`, workingDirectory: folder }),
      programs: 0,
    };
    this.#folders.set(folder, entry);
    entry.programs += 1;
    let isOpen = false;
    try {
      const confinement = await entry.confinement;
      isOpen = true;
      const endOf = (pid: number): string | undefined => confinement.endOf?.(pid);
      return { start: confinement.confine(start), endOf, left: () => this.#leave(folder, entry) };
    } catch (error) {
      // an open confinement stays, because other programs may be in it, and it is closed with the others
      if (isOpen) this.#leave(folder, entry);
      else if (this.#folders.get(folder) === entry) this.#folders.delete(folder);
      throw error;
    }
  }

  /** Removes all homes and temporary files. The programs must have ended. */
  async close(): Promise<void> {
    const all = [...this.#folders.values()];
    this.#folders.clear();
    await Promise.allSettled(all.map(async ({ confinement }) => (await confinement).close()));
  }

  #leave(folder: string, entry: Entry): void {
    entry.programs -= 1;
    if (this.#folders.get(folder) !== entry) return;
    this.#folders.delete(folder);
    this.#folders.set(folder, entry);
    const idle = [...this.#folders].filter(([, { programs }]) => programs === 0);
    for (const [name, { confinement }] of idle.slice(0, -KEPT)) {
      this.#folders.delete(name);
      // it was open, and what it cannot remove is removed by a later process
      void confinement.then((open) => open.close());
    }
  }
}
