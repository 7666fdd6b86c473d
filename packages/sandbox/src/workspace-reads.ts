import { resolve } from 'node:path';

import { isWithin, type Mounts } from './mounts.ts';
import { realPath } from './real-path.ts';

/**
 * Files of the workspace that programs read at the same path. A tool asks for each file that it views, so this looks at the disk as little as it
 * can: at the path itself, and at paths to hide that may lie in the workspace. Paths to protect do not matter, because programs read them.
 */
export class WorkspaceReads {
  readonly #workspace: string;
  readonly #lasting: Mounts;
  readonly #hide: readonly string[];
  /** The paths to hide that may lie in the workspace. */
  #near: readonly string[] = [];

  /** `workspace`: its real path. `lasting`: what programs see as long as the confinement is open. `hide`: absolute paths that they do not see. */
  constructor(workspace: string, lasting: Mounts, hide: readonly string[]) {
    this.#workspace = workspace;
    this.#lasting = lasting;
    this.#hide = hide;
    this.look();
  }

  /**
   * Finds out which paths to hide may lie in the workspace. Call it when a program starts, from when on it does not see them. Between two calls only the
   * user moves one there from elsewhere: a program writes on the way to a path outside of the workspace only where that way leads through the workspace.
   */
  look(): void {
    this.#near = this.#hide.filter((path) => {
      const real = realPath(path);
      return real === undefined || isWithin(this.#workspace, real) || isWithin(this.#workspace, resolve(path));
    });
  }

  /** Returns `path` if it has no symbolic link on its way and programs read what is there; `undefined` where more must be looked at. */
  find(path: string): string | undefined {
    if (!isWithin(this.#workspace, path) || realPath(path) !== path || !this.#lasting.covers(path)) return undefined;
    const isHidden = this.#near.some((hidden) => {
      const real = realPath(hidden);
      return real !== undefined && isWithin(real, path);
    });
    return isHidden ? undefined : path;
  }
}
