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
  /** Commands that may run at the same time without a conversation, and in each conversation. Default 64. */
  readonly maxCommands?: number;
  /**
   * Milliseconds after which events of commands are forgotten, at least as long as the longest command. Default: they stay until newer ones need
   * their place in memory.
   */
  readonly bashRetention?: number;
}

/** Conversations whose commands are remembered. */
const KEPT = 100;

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
  readonly #bashIn: (workingDirectory: string) => BashService;
  /** By the id of the conversation, the last used one last. */
  readonly #bashOf = new Map<string, { readonly folder: string; readonly bash: BashService }>();
  #isClosed = false;

  constructor(options: WorkspaceHostOptions, { platform, own, reach, sandbox }: WorkspaceHostDeps) {
    const {
      workingDirectory,
      environment,
      allowedFolders = ['/'],
      maxUpload = 2 ** 30,
      maxCommands,
      bashRetention,
    } = options;
    this.platform = platform;
    this.environment = environment;
    this.maxUpload = maxUpload;
    this.folders = new AllowedFolders(allowedFolders, own);
    this.git = new Git({ environment, folders: this.folders });
    this.#reach = reach;
    this.#confined = sandbox && new ConfinedFolders(sandbox, workingDirectory);
    this.#bashIn = (folder) =>
      new BashService({
        platform,
        environment,
        workingDirectory: folder,
        checkFolder: (wanted) => this.folders.check(wanted),
        confined: this.#confined,
        ...(maxCommands === undefined ? {} : { maxCommands }),
        ...(bashRetention === undefined ? {} : { retention: bashRetention }),
      });
    this.bash = this.#bashIn(workingDirectory);
  }

  /**
   * Returns the commands of a conversation, which run in its folder unless they name another one. Forgets those of the conversation that was
   * used longest ago while there are too many, unless one of them runs.
   */
  bashOf(id: string, folder: string): BashService {
    const known = this.#bashOf.get(id);
    // a conversation of the same id in another folder is another conversation
    if (known && known.folder !== folder) this.forget(id);
    const bash = this.#bashOf.get(id)?.bash ?? this.#bashIn(folder);
    // a request that is answered while the server closes starts nothing that would outlive it
    if (this.#isClosed) void bash.close();
    this.#bashOf.delete(id);
    this.#bashOf.set(id, { folder, bash });
    for (const [other, { bash: least }] of this.#bashOf) {
      if (this.#bashOf.size <= KEPT) break;
      if (other !== id && least.isIdle) this.#bashOf.delete(other);
    }
    return bash;
  }

  /** Forgets the commands of a conversation and kills the running ones. */
  forget(id: string): void {
    void this.#bashOf.get(id)?.bash.close();
    this.#bashOf.delete(id);
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
      this.#isClosed = true;
      const ofConversations = [...this.#bashOf.values()].map(({ bash }) => bash);
      await Promise.all([this.bash, ...ofConversations].map((bash) => bash.close()));
      await this.#confined?.close();
    });
  }
}
