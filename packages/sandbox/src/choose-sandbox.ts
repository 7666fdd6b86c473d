import { checks } from '@conv/core';
import type { Sandbox } from '@conv/core/tool';

import { unfitToRead } from './fit-to-read.ts';
import { realPath } from './real-path.ts';
import { tried } from './sandbox-problem.ts';
import { sandbox, type SandboxOptions } from './sandbox.ts';

/**
 * The ways in which a program confines its agents, as its option `--sandbox` names them. `auto`: where the machine can, and without a
 * sandbox elsewhere; `on`: not without; `closed`: likewise, and without the network; `off`: never.
 */
export const SANDBOX_MODES: readonly ['auto', 'on', 'closed', 'off'] = ['auto', 'on', 'closed', 'off'];

/** One of {@link SANDBOX_MODES}. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** The sandbox of a program's agents. `unconfined`: what it does not hold although it was asked for, and why. */
export interface ChosenSandbox {
  readonly sandbox?: Sandbox;
  readonly unconfined?: string;
}

/** Options of the sandbox that a mode asks for. */
export interface SandboxChoices extends Omit<SandboxOptions, 'network'> {
  /** The only hosts that programs reach, as in the option `network` of the sandbox. Default: none, for the network that the mode names. */
  readonly hosts?: readonly string[];
}

/**
 * Resolves with the sandbox that a mode asks for. Ask once, at the start, and say the result with {@link sandboxNotice}. Rejects `Error` for
 * `on`, `closed` and a list of hosts on a machine that has none, because a program that was told to confine commands must not run them
 * otherwise, for hosts with `off` or `closed`, and for a path to read that is not there or cannot be shown; `TypeError` for another mode, or
 * what names no host.
 *
 * @example
 * ```ts
 * import { chooseSandbox, sandboxNotice } from '@conv/sandbox';
 * import { terminal } from '@conv/tools';
 *
 * const chosen = await chooseSandbox('auto', { hide: ['/srv/conversations'] });
 * console.warn(sandboxNotice(chosen));
 *
 * export const shell = terminal(chosen.sandbox ? { sandbox: chosen.sandbox } : {});
 * ```
 */
export async function chooseSandbox(
  mode: SandboxMode,
  { hosts = [], ...options }: SandboxChoices = {},
): Promise<ChosenSandbox> {
  if (!SANDBOX_MODES.includes(mode))
    throw new TypeError(checks.wrongValue('chooseSandbox: mode', `one of ${SANDBOX_MODES.join(', ')}`, mode));
  const isLimited = hosts.length > 0;
  if (isLimited && (mode === 'off' || mode === 'closed'))
    throw new Error(`sandbox: expected the mode auto or on for a list of hosts, found ${mode}`);
  if (mode === 'off') return {};
  const { directory, read = [], hide = [] } = options;
  const missing = read.find((path) => realPath(path) === undefined);
  if (missing !== undefined)
    throw new Error(`sandbox: expected a folder or a file to be read, found none at ${missing}`);
  const unfit = unfitToRead({ read, hide });
  if (unfit !== undefined) throw new Error(unfit);
  const homes = directory === undefined ? {} : { directory };
  const network = isLimited ? { hosts } : mode === 'closed' ? 'closed' : 'open';
  const { problem, unlimited } = await tried({ ...homes, network });
  if (problem === undefined) {
    const chosen = sandbox({ ...options, network });
    return { sandbox: chosen, ...(unlimited === undefined ? {} : { unconfined: unlimited }) };
  }
  if (mode === 'auto' && !isLimited) return { unconfined: problem };
  const wanted = isLimited ? 'a list of hosts' : mode;
  throw new Error(`sandbox: expected a machine that confines commands for ${wanted}, found none. ${problem}`);
}

/** Returns a sentence for people about what confines commands. Throws `TypeError` for anything else, such as a promise. */
export function sandboxNotice(choice: ChosenSandbox): string {
  if (typeof choice !== 'object' || (choice as unknown) === null || 'then' in choice)
    throw new TypeError(checks.wrongValue('sandboxNotice', 'what chooseSandbox resolves with', choice));
  const { sandbox: chosen, unconfined } = choice;
  if (chosen) return `Commands run in a sandbox (${chosen.name}).${unconfined === undefined ? '' : ` ${unconfined}`}`;
  return `Commands run without a sandbox${unconfined === undefined ? ', because it is off.' : `. ${unconfined}`}`;
}
