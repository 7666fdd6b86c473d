import { execFile, type ExecFileException } from 'node:child_process';
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { promisify } from 'node:util';

import { errorText } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import { ToolError, type Confinement, type ProgramStart, type Sandbox } from '@conv/core/tool';
import { Hosts } from '@conv/egress';

import { bubblewrapped, findBubblewrap } from './bubblewrap.ts';
import { lastingMounts, showPrograms, withGuards } from './conversation-mounts.ts';
import { unfitToRead } from './fit-to-read.ts';
import { copyGitIdentity } from './git-identity.ts';
import { keptCaches } from './kept-caches.ts';
import { boundOfKernel } from './kernel-limits.ts';
import { limitsInWords } from './limits.ts';
import type { Mounts } from './mounts.ts';
import { openNetwork, type OwnNetwork } from './own-network.ts';
import { isFolderInside, placeOf } from './place-of.ts';
import { PrivateFolders } from './private-folders.ts';
import type { WatchedConversation } from './program.ts';
import { existing, isFolder, realPath } from './real-path.ts';
import { refusalsIn } from './refusals.ts';
import type { Rules } from './rules.ts';
import { programPaths } from './system-paths.ts';
import type { Watcher } from './watcher.ts';
import { worktreeOf } from './worktree-of.ts';

/** A conversation whose tools are confined. */
export type SandboxedSession = Parameters<Sandbox['open']>[0];

/** Variables that lead to services of the user: agents of keys, buses, screens, other machines. */
const OUTWARD =
  /^(?:SSH_A.*|GPG_AGENT_INFO|DBUS_.*|XDG_RUNTIME_DIR|XDG_SESSION_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DOCKER_HOST|PODMAN_.*)$/;

/** Codes of a folder that this user cannot make, and of a program that it cannot start, now or later. */
const LASTING: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']);

/** Milliseconds in which a program that does nothing must have run. */
const LONGEST_CHECK = 60_000;

/**
 * Resolves with the confinement of one conversation. Rejects {@link ToolError} `UNSUPPORTED` when this machine cannot make it, or this user
 * may make no homes in the directory, and `FAILED` when the workspace is no absolute folder, a path is the whole machine, a path to read holds the home or is hidden, a folder cannot be made, a path
 * cannot be protected, or bubblewrap was killed, took a minute or met a full table.
 */
export async function confine(
  workspace: SandboxedSession,
  rules: Rules,
  { watcher, platform }: { readonly watcher: Watcher; readonly platform: Platform },
): Promise<Omit<Confinement, 'endOf'>> {
  const program = findBubblewrap([workspace.workingDirectory, ...rules.write]);
  refuseUnfit(workspace.workingDirectory, rules);
  const folders = privateFolders(rules.directory);
  let network: OwnNetwork | undefined;
  try {
    if (rules.gitIdentity) await copyGitIdentity(workspace.workingDirectory, folders.home);
    if (rules.network instanceof Hosts) network = await openNetwork(program, rules.network, platform);
    const confinement = new BubblewrapConfinement(program, workspace, { rules, folders, watcher, network });
    await confinement.check();
    return confinement;
  } catch (error) {
    watcher.forget(workspace.conversationId);
    network?.close();
    await folders.remove();
    throw error;
  }
}

function refuseUnfit(folder: string, { read, write, hide, directory }: Rules): void {
  if (!isAbsolute(folder) || !isFolder(folder))
    throw new ToolError('FAILED', `The sandbox needs the absolute path of a folder as workspace, found ${folder}.`);
  if ([folder, ...read, ...write].some((path) => realPath(path) === '/'))
    throw new ToolError(
      'FAILED',
      'The sandbox cannot show the whole machine: expected folders in it, found /. Name those.',
    );
  const unfit = unfitToRead({ read, hide });
  if (unfit !== undefined) throw new ToolError('FAILED', unfit);
  if (realPath(directory) === realPath(folder))
    throw new ToolError(
      'FAILED',
      `The sandbox keeps the homes of conversations in ${directory}: expected another folder than the workspace. Change the option directory.`,
    );
}

function privateFolders(directory: string): PrivateFolders {
  try {
    return new PrivateFolders(directory);
  } catch (cause) {
    throw new ToolError(
      isLasting(cause) ? 'UNSUPPORTED' : 'FAILED',
      `The sandbox cannot make its folders in ${directory}: ${errorText(cause)}. Let this user write there, or name another folder in XDG_CACHE_HOME or the option directory.`,
      { cause },
    );
  }
}

/** Returns why a program did not run: its own words, else how it ended. */
function reasonOf(cause: ExecFileException): string {
  const said = cause.stderr?.trim() ?? '';
  if (said !== '') return said;
  if (cause.killed === true) return `it took more than ${LONGEST_CHECK / 1000} seconds`;
  return typeof cause.signal === 'string' ? `bubblewrap was ended by ${cause.signal}` : errorText(cause);
}

/** True if the same would fail later, too. What was killed, took too long or met a full table may go well another time. */
function isLasting(cause: unknown): boolean {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // an exit code is what bubblewrap itself says
  return typeof code === 'number' || (typeof code === 'string' && LASTING.has(code));
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
  /** The network of the conversation's own; `undefined` if it is open or closed. */
  readonly network: OwnNetwork | undefined;
}

class BubblewrapConfinement implements Confinement {
  readonly rules: string;
  readonly #program: string;
  readonly #rules: Rules;
  readonly #watcher: Watcher;
  readonly #network: OwnNetwork | undefined;
  readonly #watched: WatchedConversation;
  readonly #workspace: string;
  readonly #side: string | undefined;
  readonly #home = resolve(homedir());
  readonly #folders: PrivateFolders;
  readonly #lasting: Mounts;
  /** The folders of programs of this process. To look for them again for each file of a tool would cost milliseconds. */
  #programs: { readonly path: string; readonly folders: readonly string[] } | undefined;
  /** The real paths that a program of another conversation could replace by a link. */
  readonly #given: readonly string[];
  /** The folders that programs write and that are the same inside and outside. */
  readonly #writable: string;

  constructor(
    program: string,
    { conversationId, workingDirectory, sideDirectory }: SandboxedSession,
    { rules, folders, watcher, network }: ConfinementDeps,
  ) {
    this.#program = program;
    this.#rules = rules;
    this.#watcher = watcher;
    this.#network = network;
    this.#workspace = realPath(workingDirectory) ?? workingDirectory;
    this.#side = sideDirectory;
    this.#folders = folders;
    const paths = { workspace: workingDirectory, side: sideDirectory, home: this.#home };
    const caches = rules.caches ? keptCaches(rules.directory, this.#workspace, this.#home) : [];
    const { home, temporary } = folders;
    this.#lasting = lastingMounts(paths, rules, { home, temporary, caches });
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
    return placeOf(path, access, this.#mountsForPlaces(), this.#writable);
  }

  refusedIn(output: string, cwd: string): string | undefined {
    const refused = this.#network?.takeRefusals() ?? [];
    const { network } = this.#rules;
    return refusalsIn(output, { mounts: this.#mountsForPlaces(), cwd, network, refused, writable: this.#writable });
  }

  /** Runs a program that does nothing. Rejects {@link ToolError} `UNSUPPORTED` if it never will run, and `FAILED` if it may another time. */
  async check(): Promise<void> {
    const nothing = { command: 'true', args: [], cwd: this.#workspace, env: { PATH: '/usr/bin:/bin' } };
    const { command, args, env } = this.#confined(nothing, {}, 'conv-check');
    try {
      await promisify(execFile)(command, [...args], { env: { ...env }, timeout: LONGEST_CHECK });
    } catch (cause) {
      const reason = reasonOf(cause as ExecFileException);
      if (isLasting(cause))
        throw new ToolError('UNSUPPORTED', `The sandbox cannot be built on this machine: ${reason}`, { cause });
      throw new ToolError('FAILED', `The sandbox could not be built now: ${reason}. Try again.`, { cause });
    }
  }

  async close(): Promise<void> {
    this.#watcher.forget(this.#watched.conversationId);
    this.#network?.close();
    await this.#folders.remove();
  }

  /** Returns the start of a program, known by a word among its arguments. */
  #confined(start: ProgramStart, more: Parameters<Confinement['confine']>[1], word: string): ProgramStart {
    // the PATH of this process, because variables of the program may be those of a client, who could name any folder there
    const mounts = this.#mountsWith(programPaths(process.env['PATH'] ?? '', this.#home), more);
    const cwd = isFolderInside(start.cwd, mounts) ? start.cwd : this.#workspace;
    const given = Object.fromEntries(Object.entries(start.env).filter(([name]) => !OUTWARD.test(name)));
    const env = { ...given, ...this.#network?.variables };
    this.#folders.use();
    const { network, limits } = this.#rules;
    const options = {
      sharesNetwork: network !== 'closed',
      word,
      given: this.#given,
      most: boundOfKernel(limits.processes),
    };
    const inside = bubblewrapped(this.#program, { ...start, cwd, env }, mounts, options);
    return this.#network ? this.#network.enter(inside) : inside;
  }

  #mountsForPlaces(): Mounts {
    const path = process.env['PATH'] ?? '';
    if (this.#programs?.path !== path) this.#programs = { path, folders: programPaths(path, this.#home) };
    return this.#mountsWith(this.#programs.folders);
  }

  /** Returns what a program sees that finds programs in these folders. */
  #mountsWith(programs: readonly string[], more: Parameters<Confinement['confine']>[1] = {}): Mounts {
    const mounts = this.#mounts(more);
    // folders before what lies in them, which then needs no mount of its own
    for (const folder of programs.toSorted((one, other) => one.length - other.length)) showPrograms(mounts, folder);
    return mounts;
  }

  /** Paths to hide and to protect are looked for at each start, because they may have been made since the last one. */
  #mounts({ read = [], write = [] }: Parameters<Confinement['confine']>[1] = {}): Mounts {
    const mounts = this.#lasting.copy().add('read', read).add('write', write);
    return withGuards(mounts, { workspace: this.#workspace, side: this.#side }, this.#rules);
  }

  #inWords(): string {
    const { protect, network, limits } = this.#rules;
    const mounts = this.#mounts();
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

function networkInWords(network: Rules['network']): string {
  if (network === 'open') return 'The network is open.';
  if (network === 'closed') return 'There is no network.';
  return `The network has only these hosts: ${network.inWords}. They are reached through the proxy that the variable HTTPS_PROXY names.`;
}
