import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

import type { Platform } from '@conv/core/platform';
import { ToolError, type Confinement, type ProgramStart } from '@conv/core/tool';
import { Hosts } from '@conv/egress';

import { networkInWords, type SandboxedSession } from './confinement.ts';
import { copyGitIdentity } from './git-identity.ts';
import { keysOf } from './keys-of-home.ts';
import { keptCaches } from './kept-caches.ts';
import { isWithin, Mounts } from './mounts.ts';
import { privateFolders, refuseUnfit, tryOnce, withoutOutward } from './opening.ts';
import { isFolderInside, placeOf } from './place-of.ts';
import type { PrivateFolders } from './private-folders.ts';
import { existing, isFolder, realPath } from './real-path.ts';
import { refusalsIn } from './refusals.ts';
import type { Rules } from './rules.ts';
import { loadSeatbelt, seatbeltStart, type Seatbelt } from './seatbelt-start.ts';
import { programPaths } from './system-paths.ts';

/** Folders of macOS with files of its users, of other disks and of other programs. */
const OF_OTHERS = ['/Users', '/Volumes', '/Network', '/private/tmp', '/private/var/root', '/private/var/folders'];

/**
 * Resolves with the confinement of one conversation on macOS. Nothing is mounted there: programs have the user's paths, of which Seatbelt refuses
 * them most, and variables lead them to a home and a folder of temporary files of their own. Rejects {@link ToolError} `UNSUPPORTED` without
 * the generator of profiles, for a list of hosts, and when Seatbelt refuses the profile; `FAILED` for a workspace or option that does not fit.
 */
export async function confineBySeatbelt(
  workspace: SandboxedSession,
  rules: Rules,
  { platform, load = loadSeatbelt }: { readonly platform: Platform; readonly load?: () => Promise<Seatbelt> },
): Promise<Omit<Confinement, 'endOf'>> {
  if (rules.network instanceof Hosts)
    throw new ToolError(
      'UNSUPPORTED',
      'The sandbox reaches a list of hosts on Linux only: close the network, or use a container.',
    );
  const seatbelt = await load();
  refuseUnfit(workspace.workingDirectory, rules);
  const folders = privateFolders(rules.directory);
  try {
    if (rules.gitIdentity) await copyGitIdentity(workspace.workingDirectory, folders.home);
    const confinement = new SeatbeltConfinement(workspace, { seatbelt, rules, folders, platform });
    await tryOnce(confinement.confine({ command: 'true', args: [], cwd: '/', env: { PATH: '/usr/bin:/bin' } }));
    return confinement;
  } catch (error) {
    await folders.remove();
    throw error;
  }
}

interface SeatbeltDeps {
  readonly seatbelt: Seatbelt;
  readonly rules: Rules;
  readonly folders: PrivateFolders;
  readonly platform: Platform;
}

class SeatbeltConfinement implements Confinement {
  readonly rules: string;
  readonly #seatbelt: Seatbelt;
  readonly #rules: Rules;
  readonly #folders: PrivateFolders;
  readonly #platform: Platform;
  readonly #workspace: string;
  readonly #side: string | undefined;
  readonly #home = realPath(homedir()) ?? resolve(homedir());
  readonly #caches: readonly string[];
  readonly #writable: string;

  constructor(session: SandboxedSession, { seatbelt, rules, folders, platform }: SeatbeltDeps) {
    this.#seatbelt = seatbelt;
    this.#rules = rules;
    this.#folders = folders;
    this.#platform = platform;
    this.#workspace = realPath(session.workingDirectory) ?? session.workingDirectory;
    this.#side = session.sideDirectory;
    if (this.#side !== undefined) mkdirSync(this.#side, { recursive: true });
    this.#caches = rules.caches ? this.#linkCaches() : [];
    this.#writable = [session.workingDirectory, ...existing(rules.write)].join(', ');
    const { protect, network } = rules;
    this.rules =
      `Commands run in a sandbox. They can write in ${this.#writable}, and in the folders that HOME and TMPDIR name, which are removed with it. ` +
      'They can read programs and libraries of the system, and not the files of users. ' +
      (protect.length > 0 ? `Read-only in the workspace: ${protect.join(', ')}. ` : '') +
      networkInWords(network);
  }

  confine(start: ProgramStart, more: Parameters<Confinement['confine']>[1] = {}): ProgramStart {
    const mounts = this.#mounts(more);
    this.#folders.use(this.#platform.monotonic());
    const cwd = isFolderInside(start.cwd, mounts) ? start.cwd : this.#workspace;
    const plain = { ...start, cwd, env: withoutOutward(start.env) };
    return seatbeltStart(this.#seatbelt, plain, mounts, { network: this.#rules.network, own: this.#folders });
  }

  place(path: string, access: 'read' | 'write'): string {
    return placeOf(path, access, this.#mounts(), this.#writable);
  }

  refusedIn(output: string, cwd: string): string | undefined {
    const { network } = this.#rules;
    const [mounts, writable] = [this.#mounts(), this.#writable];
    return refusalsIn(output, { mounts, cwd, network, refused: [], writable, isFiltered: false });
  }

  close(): Promise<void> {
    return this.#folders.remove();
  }

  /** Returns the access of programs to paths of this machine, all under their own names. */
  #mounts({ read = [], write = [] }: Parameters<Confinement['confine']>[1] = {}): Mounts {
    const { hide, protect, directory } = this.#rules;
    const mounts = new Mounts().add('read', ['/']);
    const hideAll = (paths: readonly string[]): void => {
      for (const path of existing(paths)) mounts.set({ kind: isFolder(path) ? 'empty' : 'blank', path });
    };
    hideAll([...OF_OTHERS, this.#home, tmpdir()]);
    // links there are followed before the access is decided
    mounts.add('read', existing(programPaths(process.env['PATH'] ?? '', this.#home)));
    mounts.add('read', existing(this.#rules.read)).add('write', [this.#workspace, ...existing(this.#rules.write)]);
    if (isWithin(this.#workspace, this.#home)) hideAll(keysOf(this.#home));
    hideAll([...hide, directory]);
    const { home, temporary } = this.#folders;
    mounts.add('write', [home, temporary, ...this.#caches]);
    mounts
      .add('read', existing([...(this.#side === undefined ? [] : [this.#side]), ...read]))
      .add('write', existing(write));
    return mounts.add(
      'read',
      protect.map((name) => resolve(this.#workspace, name)),
    );
  }

  /** Puts links to the caches of the workspace into the own home. Returns where they lead. */
  #linkCaches(): readonly string[] {
    const { home } = this.#folders;
    return keptCaches(this.#rules.directory, this.#workspace, home).map(({ path, source }) => {
      const place = join(home, relative(home, path));
      mkdirSync(dirname(place), { recursive: true });
      if (lstatSync(place, { throwIfNoEntry: false }) === undefined) symlinkSync(source, place);
      return source;
    });
  }
}
