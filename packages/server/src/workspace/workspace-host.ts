import type { Platform } from '@conv/core/platform';
import type { Sandbox } from '@conv/core/tool';
import type { FastifyInstance } from 'fastify';

import type { Caller } from '../auth/principal.ts';
import { AllowedFolders } from './allowed-folders.ts';
import { BashService } from './bash-service.ts';
import { ConfinedFolders } from './confined-folders.ts';
import { Git } from './git.ts';
import { sweepScratch } from './scratch-folder.ts';

/** Options of the file, git and command routes. */
export interface WorkspaceHostOptions {
  /** The folder of commands that name none; absolute. */
  readonly workingDirectory: string;
  /** The environment of commands and of git. It should hold none of the server's own keys. */
  readonly environment: Readonly<Record<string, string>>;
  /** Folders that file, git and command routes may touch; absolute. Default `/`: all that the process may. */
  readonly allowedFolders?: readonly string[];
  /** Bytes of an upload. Default 1 GiB. */
  readonly maxUpload?: number;
  /** Commands that may run at the same time. Default 64. */
  readonly maxCommands?: number;
}

/** Returns the files and folders with keys of the server. */
export type OwnPaths = () => readonly string[];

export interface WorkspaceHostDeps {
  readonly platform: Platform;
  readonly own: OwnPaths;
  /** Resolves with the real paths of the folders that a caller reaches; `undefined` for all. Default: a limited caller reaches the folders of its key. */
  readonly reach?: ((caller: Caller) => Promise<readonly string[] | undefined>) | undefined;
  /** Confines commands. Default: they are not confined. */
  readonly sandbox?: Sandbox | undefined;
}

/** The folders that a caller reaches, and git in them. */
export interface Reached {
  readonly folders: AllowedFolders;
  readonly git: Git;
}

/** The machine of a server: its folders, its git and its commands. */
export class WorkspaceHost {
  readonly platform: Platform;
  readonly folders: AllowedFolders;
  readonly bash: BashService;
  readonly git: Git;
  readonly environment: Readonly<Record<string, string>>;
  readonly maxUpload: number;
  readonly #reach: WorkspaceHostDeps['reach'];
  readonly #confined: ConfinedFolders | undefined;

  constructor(options: WorkspaceHostOptions, { platform, own, reach, sandbox }: WorkspaceHostDeps) {
    const { workingDirectory, environment, allowedFolders = ['/'], maxUpload = 2 ** 30, maxCommands } = options;
    this.platform = platform;
    this.environment = environment;
    this.maxUpload = maxUpload;
    this.folders = new AllowedFolders(allowedFolders, own);
    this.git = new Git({ environment, folders: this.folders });
    this.#reach = reach;
    this.#confined = sandbox && new ConfinedFolders(sandbox, workingDirectory);
    this.bash = new BashService({
      platform,
      environment,
      workingDirectory,
      checkFolder: (folder) => this.folders.check(folder),
      confined: this.#confined,
      ...(maxCommands === undefined ? {} : { maxCommands }),
    });
  }

  /** Resolves with the folders that a caller reaches. */
  async reachedBy(caller: Caller): Promise<Reached> {
    const reached = this.#reach ? await this.#reach(caller) : caller.limits && (caller.limits.folders ?? []);
    if (reached === undefined) return this;
    const folders = this.folders.part(reached);
    return { folders, git: new Git({ environment: this.environment, folders }) };
  }

  /** Removes what killed servers left when the instance starts, and kills its own commands when it closes. */
  liveWith(app: FastifyInstance): void {
    app.addHook('onReady', sweepScratch);
    app.addHook('preClose', async () => {
      await this.bash.close();
      await this.#confined?.close();
    });
  }
}
