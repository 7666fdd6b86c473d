import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { ToolError, type Confinement, type Sandbox } from '@conv/core/tool';
import { Hosts, isHost } from '@conv/egress';

import { CallFilters } from './call-filters.ts';
import { confine, type ConfinementParts, type SandboxedSession } from './confinement.ts';
import { limitsOf, type LimitReached, type SandboxLimits } from './limits.ts';
import type { Rules } from './rules.ts';
import { confineBySeatbelt } from './seatbelt.ts';
import { Watcher } from './watcher.ts';

/** Options of the sandbox. */
export interface SandboxOptions {
  /** Absolute paths outside of the workspace that programs may read as well. Default: none. */
  readonly read?: readonly string[];
  /**
   * Resolves with more such paths for the programs of one conversation, which those of others do not see. Called when the sandbox of a conversation
   * is opened, which rejects as this does. Default: none.
   */
  readonly readOf?: (conversationId: string) => Promise<readonly string[]>;
  /** Absolute paths outside of the workspace that programs may write as well. Default: none. */
  readonly write?: readonly string[];
  /**
   * Absolute paths that programs do not see, although they lie in a folder that they see. A path that is made later is hidden from
   * the programs that start after it. Default: none.
   */
  readonly hide?: readonly string[];
  /**
   * Paths of the workspace, relative to it, that programs may only read, because programs of its owner act on them. A path whose
   * folder is there, and which is not, is made: an empty folder if it ends with a slash, else an empty file. Default: `.git/hooks/`
   * and `.git/config`.
   */
  readonly protect?: readonly string[];
  /**
   * `closed`: no network at all, not even this machine's own services. Hosts: programs reach these alone, by HTTP and `CONNECT` through a
   * proxy of this process, to which variables such as `HTTPS_PROXY` lead. A host is a name such as `example.org`, the subdomains of one
   * such as `*.example.org`, or an address such as `192.0.2.1` or `[2001:db8::1]`, and has the ports 80 and 443 unless it ends with one, as
   * `example.org:8443`. An address of this machine or a private network must be listed itself, also when a listed name leads to it.
   * Default `open`.
   */
  readonly network?: 'open' | 'closed' | { readonly hosts: readonly string[] };
  /**
   * True to keep what package managers cache in the home, such as `~/.npm` and `~/.cache`, for later conversations in the same workspace. They are
   * not the user's caches, and no other workspace sees them. Default false: each conversation begins with empty caches.
   */
  readonly caches?: boolean;
  /**
   * True to give programs the name and the address with which the user commits in the workspace. They get no other setting of git. Default
   * false.
   */
  readonly gitIdentity?: boolean;
  /** A folder for the homes and temporary files of sandboxes. Default: `conv/sandboxes` in the user's folder of caches. */
  readonly directory?: string;
  /**
   * Limits of each program that is started, with all that it starts. They are looked at from outside, several times a second, for programs that
   * this process itself starts.
   */
  readonly limits?: SandboxLimits;
  /** Called when a program was ended at a limit, before the tool that started it says so. It must not throw. */
  readonly onLimit?: (reached: LimitReached) => void;
  /** Clocks, timers and ids, for the looks at programs. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<SandboxOptions> = {
  read: true,
  readOf: true,
  write: true,
  hide: true,
  protect: true,
  network: true,
  caches: true,
  gitIdentity: true,
  directory: true,
  limits: true,
  onLimit: true,
  platform: true,
};

const HOSTS = 'names or addresses of hosts, such as example.org, *.example.org or 192.0.2.1:8443';

const isMac = process.platform === 'darwin';

const PROTECTED = ['.git/hooks/', '.git/config'];

/**
 * Creates a sandbox for the programs that tools start, made with bubblewrap on Linux and with Seatbelt on macOS. On Linux, a program writes
 * in the workspace, in a home and in a `/tmp` of its own, and reads the system's programs. It sees no other folder, no other process, and
 * only services of the network. The programs of a conversation share one home and `/tmp`, which are removed with the last user.
 *
 * Opening it rejects `ToolError` `UNSUPPORTED` where it cannot be had. Throws `TypeError` for options that cannot be used.
 *
 * @example
 * ```ts
 * import { spawn } from 'node:child_process';
 * import { sandbox } from '@conv/sandbox';
 *
 * const box = sandbox({ network: 'closed' });
 *
 * export async function listFiles(conversationId: string, workingDirectory: string): Promise<void> {
 *   const confinement = await box.open({ conversationId, workingDirectory });
 *   const plain = { command: 'ls', args: ['-la'], cwd: workingDirectory, env: { PATH: process.env['PATH'] } };
 *   const { command, args, cwd, env } = confinement.confine(plain);
 *   const program = spawn(command, args, { cwd, env: { ...env }, stdio: 'inherit' });
 *   program.once('exit', () => void confinement.close());
 * }
 * ```
 */
export function sandbox(options: SandboxOptions = {}): Sandbox {
  checkOptionNames('sandbox', options, NAMES);
  const {
    read = [],
    readOf,
    write = [],
    hide = [],
    protect = PROTECTED,
    network = 'open',
    caches = false,
    gitIdentity = false,
    directory = defaultDirectory(),
    platform = systemPlatform,
    onLimit,
  } = options;
  for (const [name, paths] of Object.entries({ read, write, hide }))
    checkPaths(name, paths, isAbsolute, 'absolute paths');
  checkPaths('protect', protect, isInside, 'paths in the workspace, such as .git/hooks/');
  checkPaths('directory', [directory], isAbsolute, 'an absolute path');
  for (const [name, value] of Object.entries({ caches, gitIdentity }))
    if (typeof value !== 'boolean') throw new TypeError(checks.wrongValue(`sandbox: ${name}`, 'true or false', value));
  if (readOf !== undefined && typeof readOf !== 'function')
    throw new TypeError(checks.wrongValue('sandbox: readOf', 'a function', readOf));
  const limits = limitsOf(options.limits);
  const rules: Rules = {
    read,
    write,
    hide,
    protect,
    network: networkOf(network),
    caches,
    gitIdentity,
    directory,
    limits,
  };
  const shared = new SharedConfinements(
    rules,
    { watcher: new Watcher(platform, limits, onLimit), platform, filters: new CallFilters() },
    readOf,
  );
  const { network: reached } = rules;
  const by = isMac ? 'Seatbelt' : 'bubblewrap';
  const name = reached instanceof Hosts ? `${by}, which reaches only ${reached.inWords}` : by;
  return { name, open: (workspace) => shared.open(workspace) };
}

interface Shared {
  readonly workspace: SandboxedSession;
  readonly confinement: Promise<Confinement>;
  users: number;
}

/** The confinements of conversations. All tools of a conversation share one. */
class SharedConfinements {
  readonly #rules: Rules;
  readonly #parts: ConfinementParts;
  readonly #readOf: SandboxOptions['readOf'];
  readonly #open = new Map<string, Shared>();

  constructor(rules: Rules, parts: ConfinementParts, readOf: SandboxOptions['readOf']) {
    this.#rules = rules;
    this.#parts = parts;
    this.#readOf = readOf;
  }

  async open(workspace: SandboxedSession): Promise<Confinement> {
    const { conversationId: id } = workspace;
    const entry = this.#open.get(id) ?? {
      workspace,
      confinement: this.#confinement(workspace),
      users: 0,
    };
    const { workingDirectory, sideDirectory } = entry.workspace;
    if (workingDirectory !== workspace.workingDirectory || sideDirectory !== workspace.sideDirectory)
      throw new ToolError(
        'FAILED',
        `The sandbox of conversation ${id} is open: expected its folders ${folders(entry.workspace)}, found ${folders(workspace)}. Close it first.`,
      );
    this.#open.set(id, entry);
    entry.users += 1;
    const leave = (): boolean => {
      entry.users -= 1;
      return entry.users === 0 && this.#open.delete(id);
    };
    try {
      const confinement = await entry.confinement;
      let isOpen = true;
      const close = async (): Promise<void> => {
        if (!isOpen) return;
        isOpen = false;
        if (leave()) await confinement.close();
      };
      return {
        rules: confinement.rules,
        confine: (start, more) => confinement.confine(start, more),
        endOf: (pid) => this.#parts.watcher.endOf(pid),
        refusedIn: (output, cwd) => confinement.refusedIn?.(output, cwd),
        place: (path, access) => confinement.place(path, access),
        close,
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #confinement(workspace: SandboxedSession): Promise<Omit<Confinement, 'endOf'>> {
    const own = (await this.#readOf?.(workspace.conversationId)) ?? [];
    const rules = { ...this.#rules, read: [...this.#rules.read, ...own] };
    return isMac ? confineBySeatbelt(workspace, rules, this.#parts) : confine(workspace, rules, this.#parts);
  }
}

function folders({ workingDirectory, sideDirectory = 'none beside it' }: SandboxedSession): string {
  return `${workingDirectory} and ${sideDirectory}`;
}

function defaultDirectory(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'conv', 'sandboxes');
}

function checkPaths(name: string, paths: unknown, fits: (path: string) => boolean, expected: string): void {
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string' && fits(path)))
    throw new TypeError(checks.wrongValue(`sandbox: ${name}`, expected, paths));
}

function networkOf(network: NonNullable<SandboxOptions['network']>): Rules['network'] {
  if (network === 'open' || network === 'closed') return network;
  if (typeof network !== 'object' || (network as unknown) === null)
    throw new TypeError(checks.wrongValue('sandbox: network', "'open', 'closed' or { hosts }", network));
  checkOptionNames('sandbox: network', network, { hosts: true });
  const { hosts } = network;
  if (!Array.isArray(hosts) || hosts.length === 0)
    throw new TypeError(checks.wrongValue('sandbox: network: hosts', HOSTS, hosts));
  const wrong: unknown = hosts.find((host) => !isHost(host));
  if (wrong !== undefined)
    throw new TypeError(`sandbox: network: hosts: expected ${HOSTS}, found ${JSON.stringify(wrong)}`);
  return new Hosts(hosts);
}

function isInside(path: string): boolean {
  return path !== '' && !isAbsolute(path) && !path.split('/').includes('..');
}
