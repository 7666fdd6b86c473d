import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import type { Platform } from '@conv/core/platform';
import type { Confinement, ProgramStart, Sandbox } from '@conv/core/tool';
import { Hosts } from '@conv/egress';

import { bubblewrapped, findBubblewrap } from './bubblewrap.ts';
import type { FilterOptions } from './call-filter.ts';
import { passesGroupOn, type CallFilters } from './call-filters.ts';
import { lastingMounts, showPrograms, withGuards } from './conversation-mounts.ts';
import { replaceableFiles } from './file-identities.ts';
import { copyGitIdentity } from './git-identity.ts';
import { HeldMounts, type Wanted } from './held-mounts.ts';
import { keptCaches } from './kept-caches.ts';
import { boundOfKernel } from './kernel-limits.ts';
import type { Bubblewrap } from './launched.ts';
import { limitsInWords } from './limits.ts';
import { isWithin, type Mounts } from './mounts.ts';
import { privateFolders, refuseUnfit, tryOnce, withoutOutward } from './opening.ts';
import { openNetwork, type OwnNetwork } from './own-network.ts';
import { isFolderInside, placeIfAny, placeOf } from './place-of.ts';
import type { PrivateFolders } from './private-folders.ts';
import type { WatchedConversation } from './program.ts';
import { existing, realPath } from './real-path.ts';
import { refusalsIn } from './refusals.ts';
import type { Rules } from './rules.ts';
import { programPaths } from './system-paths.ts';
import type { Watcher } from './watcher.ts';
import { WorkspaceReads } from './workspace-reads.ts';
import { worktreeOf } from './worktree-of.ts';

/** A conversation whose tools are confined. */
export type SandboxedSession = Parameters<Sandbox['open']>[0];

/** Parts that the confinements of a sandbox share. */
export interface ConfinementParts {
  readonly watcher: Watcher;
  readonly platform: Platform;
  readonly filters: CallFilters;
}

/**
 * Resolves with the confinement of one conversation. Rejects {@link ToolError}:
 *
 * - `UNSUPPORTED` when this machine cannot make it, or this user may make no homes in the directory.
 * - `FAILED` when the workspace is no absolute folder, or a path cannot be used: it is the whole machine, holds the home, is hidden, cannot
 *   be made or cannot be protected. So, too, when bubblewrap was killed, took a minute or met a full table.
 */
export async function confine(
  workspace: SandboxedSession,
  rules: Rules,
  { watcher, platform, filters }: ConfinementParts,
): Promise<Omit<Confinement, 'endOf'>> {
  const program = findBubblewrap([workspace.workingDirectory, ...rules.write]);
  refuseUnfit(workspace.workingDirectory, rules);
  const folders = privateFolders(rules.directory);
  let network: OwnNetwork | undefined;
  let held: HeldMounts | undefined;
  try {
    if (rules.gitIdentity) await copyGitIdentity(workspace.workingDirectory, folders.home);
    if (rules.network instanceof Hosts) network = await openNetwork(program, rules.network, platform);
    const enter = (start: ProgramStart): ProgramStart => network?.enter(start) ?? start;
    const bubblewrap = await filters.give(program, folders.filter, filterOptions(workspace, rules, folders));
    held = new HeldMounts({ bubblewrap, watcher, platform, enter });
    const confinement = new BubblewrapConfinement(bubblewrap, workspace, {
      rules,
      folders,
      watcher,
      platform,
      network,
      held,
    });
    await confinement.check();
    return confinement;
  } catch (error) {
    watcher.forget(workspace.conversationId);
    await held?.close();
    network?.close();
    await folders.remove();
    throw error;
  }
}

/** Returns what the filter of system calls depends on. */
function filterOptions(
  { workingDirectory }: SandboxedSession,
  { network, write }: Rules,
  { home, temporary }: PrivateFolders,
): FilterOptions {
  const repositories = [join(workingDirectory, '.git'), ...repositoryOf(workingDirectory)].filter(isOfOtherGroup);
  return {
    sharesNetwork: network === 'open',
    passesGroupsOn: passesGroupOn([...existing([workingDirectory, ...write]), ...repositories, home, temporary]),
  };
}

/**
 * True for a folder of another group than that of this process. A program has this one group: the folders that it makes pass another one on only
 * where such a folder was there before, and by a file system of its own it makes folders that pass this one on.
 */
function isOfOtherGroup(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.gid !== process.getgid?.();
}

/** Returns the folders of the repository of a worktree. */
function repositoryOf(workspace: string): readonly string[] {
  const worktree = worktreeOf(workspace);
  return worktree ? [worktree.common, worktree.own] : [];
}

interface ConfinementDeps {
  readonly rules: Rules;
  readonly folders: PrivateFolders;
  readonly watcher: Watcher;
  readonly platform: Platform;
  /** The network of the conversation's own; `undefined` if it is open or closed. */
  readonly network: OwnNetwork | undefined;
  readonly held: HeldMounts;
}

class BubblewrapConfinement implements Confinement {
  readonly rules: string;
  readonly #bubblewrap: Bubblewrap;
  readonly #rules: Rules;
  readonly #watcher: Watcher;
  readonly #platform: Platform;
  readonly #network: OwnNetwork | undefined;
  readonly #held: HeldMounts;
  readonly #watched: WatchedConversation;
  readonly #workspace: string;
  readonly #side: string | undefined;
  readonly #home = resolve(homedir());
  readonly #folders: PrivateFolders;
  readonly #lasting: Mounts;
  readonly #reads: WorkspaceReads;
  /** The folders of programs of this process. To look for them again for each file of a tool would cost milliseconds. */
  #programs: { readonly path: string; readonly folders: readonly string[] } | undefined;
  /** The real paths that a program of another conversation could replace by a link. */
  readonly #given: readonly string[];
  /** The folders that programs write and that are the same inside and outside. */
  readonly #writable: string;

  constructor(
    bubblewrap: Bubblewrap,
    { conversationId, workingDirectory, sideDirectory }: SandboxedSession,
    { rules, folders, watcher, platform, network, held }: ConfinementDeps,
  ) {
    this.#bubblewrap = bubblewrap;
    this.#rules = rules;
    this.#watcher = watcher;
    this.#platform = platform;
    this.#network = network;
    this.#held = held;
    this.#workspace = realPath(workingDirectory) ?? workingDirectory;
    this.#side = sideDirectory;
    this.#folders = folders;
    const paths = { workspace: workingDirectory, side: sideDirectory, home: this.#home };
    const caches = rules.caches ? keptCaches(rules.directory, this.#workspace, this.#home) : [];
    const { home, temporary } = folders;
    this.#lasting = lastingMounts(paths, rules, { home, temporary, caches });
    this.#reads = new WorkspaceReads(this.#workspace, this.#lasting, [...rules.hide, rules.directory]);
    this.#given = [this.#workspace, ...existing([...rules.read, ...rules.write]), ...repositoryOf(this.#workspace)];
    const writable = rules.write.filter((path) => realPath(path) !== undefined);
    this.#watched = { conversationId, folders: [this.#workspace, folders.temporary, ...writable] };
    this.#writable = [workingDirectory, ...writable].join(', ');
    this.rules = this.#inWords();
  }

  confine(start: ProgramStart, more: Parameters<Confinement['confine']>[1] = {}): ProgramStart {
    return this.#confined(start, more, this.#watcher.expect(this.#watched));
  }

  place(path: string, access: 'read' | 'write'): string {
    const read = access === 'read' ? this.#reads.find(path) : undefined;
    if (read !== undefined) return read;
    // folders of programs take long to look for, and add nothing to what lies in the workspace
    const there = isWithin(this.#workspace, path) ? placeIfAny(path, access, this.#seen()) : undefined;
    if (there !== undefined && isWithin(this.#workspace, there)) return there;
    return placeOf(path, access, this.#mountsForPlaces(), this.#writable);
  }

  refusedIn(output: string, cwd: string): string | undefined {
    const refused = this.#network?.takeRefusals() ?? [];
    const { network } = this.#rules;
    const isFiltered = this.#bubblewrap.filter !== undefined;
    const [mounts, writable] = [this.#mountsForPlaces(), this.#writable];
    return refusalsIn(output, { mounts, cwd, network, refused, writable, isFiltered });
  }

  /**
   * Makes the mounts that programs enter, and runs a program that does nothing. Rejects {@link ToolError} `UNSUPPORTED` if it never will run, and `FAILED` if
   * it may another time.
   */
  async check(): Promise<void> {
    // makes the paths to protect that are missing, which later starts then find
    this.#wanted();
    if (await this.#held.open(this.#wanted(), this.#workspace)) return;
    const nothing = { command: 'true', args: [], cwd: this.#workspace, env: { PATH: '/usr/bin:/bin' } };
    await tryOnce(this.#confined(nothing, {}, 'conv-check'));
  }

  async close(): Promise<void> {
    this.#watcher.forget(this.#watched.conversationId);
    await this.#held.close();
    this.#network?.close();
    await this.#folders.remove();
  }

  /** Returns the mounts of a program that starts now. Throws {@link ToolError} `FAILED` if a path to mount is replaced meanwhile. */
  #wanted(more?: Parameters<Confinement['confine']>[1]): Wanted {
    this.#reads.look();
    // the PATH of this process, because variables of the program may be those of a client, who could name any folder there
    const mounts = this.#mountsWith(programPaths(process.env['PATH'] ?? '', this.#home), more);
    return { mounts, files: replaceableFiles(mounts, this.#given) };
  }

  /** Returns the start of a program, known by a word among its arguments. */
  #confined(start: ProgramStart, more: Parameters<Confinement['confine']>[1] = {}, word: string): ProgramStart {
    const wanted = this.#wanted(more);
    const { mounts, files } = wanted;
    const cwd = isFolderInside(start.cwd, mounts) ? start.cwd : this.#workspace;
    const env = { ...withoutOutward(start.env), ...this.#network?.variables };
    this.#folders.use(this.#platform.monotonic());
    const { network, limits } = this.#rules;
    const options = { sharesNetwork: network !== 'closed', word, most: boundOfKernel(limits.processes) };
    // what one program alone sees is in no mounts of others
    const holder = more.read || more.write ? undefined : this.#held.holderOf(wanted);
    const plain = { ...start, cwd, env };
    const inside =
      holder === undefined
        ? bubblewrapped(this.#bubblewrap, plain, mounts, { ...options, files })
        : this.#held.enter(plain, holder, options);
    return this.#network ? this.#network.enter(inside) : inside;
  }

  #mountsForPlaces(): Mounts {
    const path = process.env['PATH'] ?? '';
    if (this.#programs?.path !== path) this.#programs = { path, folders: programPaths(path, this.#home) };
    return this.#mountsWith(this.#programs.folders);
  }

  /** Returns what a program sees that finds programs in these folders. */
  #mountsWith(programs: readonly string[], more: Parameters<Confinement['confine']>[1] = {}): Mounts {
    const mounts = this.#seen(more).pin();
    // folders before what lies in them, which then needs no mount of its own
    const known = new Map<string, boolean>();
    for (const folder of programs.toSorted((one, other) => one.length - other.length))
      showPrograms(mounts, folder, known);
    return mounts;
  }

  /** Paths to hide and to protect are looked for at each start, because they may have been made since the last one. */
  #seen({ read = [], write = [] }: Parameters<Confinement['confine']>[1] = {}): Mounts {
    const mounts = this.#lasting.copy().add('read', read).add('write', write);
    return withGuards(mounts, { workspace: this.#workspace, side: this.#side }, this.#rules);
  }

  #inWords(): string {
    const { protect, network, limits } = this.#rules;
    const mounts = this.#seen();
    const own = [this.#home, '/tmp'].filter((path) => path !== '/' && !mounts.covers(path));
    return (
      `Commands run in a sandbox. They can write in ${this.#writable}. ` +
      (own.length > 0
        ? `What they write in ${own.join(' and ')} belongs to the sandbox and is removed with it. `
        : '') +
      `They can read programs and libraries of the system; other folders of the machine are not there. ` +
      (protect.length > 0 ? `Read-only in the workspace: ${protect.join(', ')}. ` : '') +
      networkInWords(network) +
      limitsInWords(limits)
    );
  }
}

/** Returns the network of programs in a sentence for the model. */
export function networkInWords(network: Rules['network']): string {
  if (network === 'open') return 'The network is open.';
  if (network === 'closed') return 'There is no network.';
  return `The network has only these hosts: ${network.inWords}. They are reached through the proxy that the variable HTTPS_PROXY names.`;
}
