import { execFile } from 'node:child_process';
import { lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

import { ToolError } from '@conv/core/tool';

import { bubblewrapped, findBubblewrap } from './bubblewrap.ts';
import type { Confinement, ProgramStart, SandboxedWorkspace } from './contract.ts';
import { Mounts } from './mounts.ts';
import { PrivateFolders } from './private-folders.ts';
import { isFolder, nameServers, programPaths, realPath, systemMounts } from './system-paths.ts';

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
 * when the workspace is no folder.
 */
export async function confine(workspace: SandboxedWorkspace, rules: Rules): Promise<Confinement> {
  const program = findBubblewrap();
  const { workingDirectory: folder } = workspace;
  if (!isFolder(folder))
    throw new ToolError('FAILED', `The sandbox needs a folder as workspace, and ${folder} is none.`);
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
  readonly #home = homedir();
  readonly #folders: PrivateFolders;
  readonly #mounts: Mounts;

  constructor(
    program: string,
    { workingDirectory, sideDirectory }: SandboxedWorkspace,
    rules: Rules,
    folders: PrivateFolders,
  ) {
    this.#program = program;
    this.#network = rules.network;
    this.#workspace = realPath(workingDirectory) ?? workingDirectory;
    this.#folders = folders;
    this.#mounts = this.#mountsOf(rules, workingDirectory, sideDirectory);
    const places = [workingDirectory, ...rules.write, this.#home, '/tmp'].join(', ');
    this.rules =
      `Commands run in a sandbox. They can write in ${places}; the last two belong to the sandbox and are removed with it. ` +
      `They can read programs and libraries of the system; other folders of the machine are not there. ` +
      (rules.protect.length > 0 ? `Read-only in the workspace: ${rules.protect.join(', ')}. ` : '') +
      (rules.network === 'open' ? 'The network is open.' : 'There is no network.');
  }

  confine(start: ProgramStart, shared: readonly string[] = []): ProgramStart {
    const mounts = this.#mounts.copy().add('write', shared);
    for (const path of programPaths(start.env['PATH'] ?? '', this.#home))
      if (!mounts.covers(path)) mounts.add('read', [path]);
    const cwd = mounts.covers(start.cwd) ? start.cwd : this.#workspace;
    const env = Object.fromEntries(Object.entries(start.env).filter(([name]) => !OUTWARD.test(name)));
    return bubblewrapped(this.#program, { ...start, cwd, env }, mounts, this.#network);
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

  #mountsOf({ read, write, hide, protect }: Rules, workspace: string, side: string | undefined): Mounts {
    const { home, temporary } = this.#folders;
    const mounts = new Mounts();
    for (const mount of systemMounts()) mounts.set(mount);
    mounts.add('read', nameServers());
    for (const path of new Set(['/tmp', '/var/tmp', realPath(tmpdir()) ?? tmpdir()]))
      mounts.set({ kind: 'write', path, source: temporary });
    mounts.set({ kind: 'write', path: this.#home, source: home });
    mounts.add('read', existing(read));
    mounts.add('write', existing([workspace, this.#workspace, ...write]));
    for (const path of existing(hide)) mounts.set({ kind: isFolder(path) ? 'empty' : 'blank', path });
    // output that is too long for the log is read from there, and written by this process
    if (side !== undefined) {
      mkdirSync(side, { recursive: true });
      mounts.add('read', [realPath(side) ?? side]);
    }
    for (const name of protect) this.#protect(mounts, name);
    return mounts;
  }

  /** Makes a path of the workspace read-only. Its folders become mount points, which cannot be given another name. */
  #protect(mounts: Mounts, name: string): void {
    const path = resolve(this.#workspace, name);
    const folders = relative(this.#workspace, path).split('/').slice(0, -1);
    let folder = this.#workspace;
    for (const part of folders) {
      folder = join(folder, part);
      if (!(lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false)) return;
      mounts.add('write', [folder]);
    }
    const about = lstatSync(path, { throwIfNoEntry: false });
    if (about === undefined) mounts.set({ kind: 'empty', path });
    else if (!about.isSymbolicLink()) mounts.add('read', [path]);
  }
}

function existing(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => realPath(path) ?? []);
}
