import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

import { ToolError, type Confinement, type ProgramStart, type Sandbox } from '@conv/core/tool';

import { bubblewrapped, findBubblewrap } from './bubblewrap.ts';
import { Mounts } from './mounts.ts';
import { isFolderInside, placeOf } from './place-of.ts';
import { PrivateFolders } from './private-folders.ts';
import { isFolder, nameServers, programPaths, realPath, systemMounts } from './system-paths.ts';
import { worktreeOf } from './worktree-of.ts';

/** A conversation whose tools are confined. */
export type SandboxedSession = Parameters<Sandbox['open']>[0];

/** The paths and networks that programs inside reach. All paths but those of `protect` are absolute. */
export interface Rules {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly hide: readonly string[];
  /** Paths in the workspace that are read-only. */
  readonly protect: readonly string[];
  readonly network: 'open' | 'closed';
  /** The folder for homes and temporary files. */
  readonly directory: string;
}

/** Variables that lead to services of the user: agents of keys, buses, screens, other machines. */
const OUTWARD =
  /^(?:SSH_A.*|GPG_AGENT_INFO|DBUS_.*|XDG_RUNTIME_DIR|XDG_SESSION_.*|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DOCKER_HOST|PODMAN_.*)$/;

/** Milliseconds in which a program that does nothing must have run. */
const LONGEST_CHECK = 20_000;

/**
 * Resolves with the confinement of one conversation. Rejects {@link ToolError} `UNSUPPORTED` when this machine cannot make it, and `FAILED`
 * when the workspace is no folder, a path is the whole machine, or a path cannot be protected.
 */
export async function confine(workspace: SandboxedSession, rules: Rules): Promise<Confinement> {
  const program = findBubblewrap();
  const { workingDirectory: folder } = workspace;
  if (!isFolder(folder))
    throw new ToolError('FAILED', `The sandbox needs a folder as workspace, and ${folder} is none.`);
  if ([folder, ...rules.read, ...rules.write].some((path) => realPath(path) === '/'))
    throw new ToolError(
      'FAILED',
      'The sandbox cannot show the whole machine: expected folders in it, found /. Name those.',
    );
  const folders = new PrivateFolders(rules.directory);
  try {
    const confinement = new BubblewrapConfinement(program, workspace, rules, folders);
    await confinement.check();
    return confinement;
  } catch (error) {
    await folders.remove();
    throw error;
  }
}

class BubblewrapConfinement implements Confinement {
  readonly rules: string;
  readonly #program: string;
  readonly #network: Rules['network'];
  readonly #workspace: string;
  readonly #home = resolve(homedir());
  readonly #folders: PrivateFolders;
  readonly #mounts: Mounts;
  /** The folders that programs write and that are the same inside and outside. */
  readonly #writable: string;

  constructor(
    program: string,
    { workingDirectory, sideDirectory }: SandboxedSession,
    rules: Rules,
    folders: PrivateFolders,
  ) {
    this.#program = program;
    this.#network = rules.network;
    this.#workspace = realPath(workingDirectory) ?? workingDirectory;
    this.#folders = folders;
    this.#mounts = this.#mountsOf(rules, workingDirectory, sideDirectory);
    this.#writable = [workingDirectory, ...rules.write].join(', ');
    const own = [this.#home, '/tmp'].filter((path) => !this.#mounts.covers(path));
    this.rules =
      `Commands run in a sandbox. They can write in ${this.#writable}. ` +
      (own.length > 0
        ? `What they write in ${own.join(' and ')} belongs to the sandbox and is removed with it. `
        : '') +
      `They can read programs and libraries of the system; other folders of the machine are not there. ` +
      (rules.protect.length > 0 ? `Read-only in the workspace: ${rules.protect.join(', ')}. ` : '') +
      (rules.network === 'open' ? 'The network is open.' : 'There is no network.');
  }

  confine(start: ProgramStart, more: Parameters<Confinement['confine']>[1] = {}): ProgramStart {
    const mounts = this.#mountsFor(start.env['PATH'] ?? '', more);
    const cwd = isFolderInside(start.cwd, mounts) ? start.cwd : this.#workspace;
    const env = Object.fromEntries(Object.entries(start.env).filter(([name]) => !OUTWARD.test(name)));
    return bubblewrapped(this.#program, { ...start, cwd, env }, mounts, this.#network);
  }

  place(path: string, access: 'read' | 'write'): string {
    return placeOf(path, access, this.#mountsFor(process.env['PATH'] ?? ''), this.#writable);
  }

  /** Runs a program that does nothing. */
  async check(): Promise<void> {
    const nothing = { command: 'true', args: [], cwd: this.#workspace, env: { PATH: '/usr/bin:/bin' } };
    const { command, args, env } = this.confine(nothing);
    try {
      await promisify(execFile)(command, [...args], { env: { ...env }, timeout: LONGEST_CHECK });
    } catch (cause) {
      const { stderr } = cause as { readonly stderr?: unknown };
      const reason = typeof stderr === 'string' && stderr.trim() !== '' ? stderr.trim() : String(cause);
      throw new ToolError('UNSUPPORTED', `The sandbox cannot be built on this machine: ${reason}`, { cause });
    }
  }

  async close(): Promise<void> {
    await this.#folders.remove();
  }

  /** Returns what a program with this PATH sees. */
  #mountsFor(path: string, { read = [], write = [] }: Parameters<Confinement['confine']>[1] = {}): Mounts {
    const mounts = this.#mounts.copy().add('read', read).add('write', write);
    for (const folder of programPaths(path, this.#home)) showPrograms(mounts, folder);
    return mounts;
  }

  #mountsOf({ read, write, hide, protect }: Rules, workspace: string, side: string | undefined): Mounts {
    const { home, temporary } = this.#folders;
    const mounts = new Mounts();
    for (const mount of systemMounts()) mounts.set(mount);
    mounts.add('read', nameServers());
    for (const path of new Set(['/tmp', '/var/tmp', realPath(tmpdir()) ?? tmpdir()]))
      mounts.set({ kind: 'write', path, source: temporary });
    mounts.set({ kind: 'write', path: this.#home, source: home });
    mounts.add('read', existing(read));
    mounts.add('write', existing([workspace, ...write]));
    this.#showRepository(mounts);
    for (const path of existing(hide)) mounts.set({ kind: isFolder(path) ? 'empty' : 'blank', path });
    // output that is too long for the log is read from there, and written by this process
    if (side !== undefined) {
      mkdirSync(side, { recursive: true });
      mounts.add('read', existing([side]));
    }
    for (const name of protect) this.#protect(mounts, name);
    mounts.pin();
    for (const path of [workspace, ...read, ...write, ...(side === undefined ? [] : [side])])
      showLink(mounts, resolve(path));
    return mounts;
  }

  /**
   * Shows the repository of a worktree, so that git can commit there. Its settings, its hooks, and what belongs to other worktrees
   * can only be read.
   */
  #showRepository(mounts: Mounts): void {
    const worktree = worktreeOf(this.#workspace);
    if (worktree === undefined) return;
    const { common, own } = worktree;
    const closed = ['config', 'hooks', 'HEAD', 'index', 'worktrees'].map((name) => join(common, name));
    const ofWorktree = ['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name));
    mounts.add('write', [common, own]).add('read', existing([...closed, ...ofWorktree]));
  }

  /** Makes a path of the workspace read-only, or the file in the place of one of its folders. */
  #protect(mounts: Mounts, name: string): void {
    let path = this.#workspace;
    const parts = relative(path, resolve(path, name)).split('/');
    for (const [at, part] of parts.entries()) {
      path = join(path, part);
      const about = lstatSync(path, { throwIfNoEntry: false });
      const isLast = at === parts.length - 1;
      if (about === undefined) {
        if (isLast) mounts.set({ kind: 'empty', path });
        return;
      }
      if (about.isSymbolicLink())
        throw new ToolError(
          'FAILED',
          `The sandbox cannot protect ${name}: expected no symbolic link, which a program could replace, found one at ${path}. Put a file or folder there, or leave ${name} out of the option protect.`,
        );
      if (!isLast && about.isDirectory()) continue;
      mounts.add('read', [path]);
      return;
    }
  }
}

/** Shows a folder of programs, and where the links on its path lead. What is hidden stays hidden. */
function showPrograms(mounts: Mounts, path: string): void {
  const real = realPath(path);
  if (real === undefined || mounts.hides(path) || mounts.hides(real)) return;
  if (!mounts.covers(real)) mounts.add('read', [real]);
  // the same folder under a second name shows what is hidden under the first
  if (!mounts.covers(path) && !mounts.hidesIn(real)) mounts.set({ kind: 'read', path, source: real });
}

/** Shows the symbolic link through which a path was given. */
function showLink(mounts: Mounts, path: string): void {
  const source = realPath(path);
  if (source === undefined || source === path) return;
  const around = mounts.around(path);
  if (around === undefined) mounts.set({ kind: 'link', path, source });
  if (around?.kind !== 'write' || around.source === around.path) return;
  const place = join(around.source, relative(around.path, path));
  mkdirSync(dirname(place), { recursive: true });
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) symlinkSync(source, place);
}

function existing(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => realPath(path) ?? []);
}
