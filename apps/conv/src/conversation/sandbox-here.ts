import { resolve } from 'node:path';

import type { Sandbox } from '@conv/core/tool';
import { pathsOfStore } from '@conv/stores';

import { CommandError } from '../command-error.ts';
import type { Settings } from '../config/settings.ts';
import { exitCodes } from '../exit-code.ts';
import { loginsFolder } from '../logins/logins-folder.ts';

/** The sandbox of agents on this machine. */
export interface SandboxHere {
  /** For the parts of an agent; empty without a sandbox. */
  readonly confined: { readonly sandbox?: Sandbox };
  /** A sentence for the person about what confines commands; `undefined` for `off`. */
  readonly notice: string | undefined;
}

/**
 * Resolves with the sandbox that a mode asks for, in which agents read some paths as well. It hides the store and the user's logins, which may lie in the workspace.
 * Rejects {@link CommandError} for `on`, `closed` and hosts on a machine that has none, for a path that is not there or cannot be shown, for what
 * is no host, and for paths or hosts without a sandbox.
 */
export async function sandboxHere(
  {
    sandbox: mode = 'auto',
    sandboxRead,
    sandboxHosts: hosts,
    sandboxSources: sources,
  }: Pick<Settings, 'sandbox' | 'sandboxRead' | 'sandboxHosts' | 'sandboxSources'>,
  store: string,
): Promise<SandboxHere> {
  const read = sandboxRead.map((path) => resolve(path));
  const useless = read.length > 0 ? sources.read : hosts.length > 0 ? sources.hosts : undefined;
  if (mode === 'off' && useless !== undefined)
    throw new CommandError(exitCodes.usage, `${useless} has no effect without a sandbox: leave out ${sources.mode}`);
  if (mode === 'off') return { confined: {}, notice: undefined };
  const { chooseSandbox, sandboxNotice } = await import('@conv/sandbox');
  try {
    const chosen = await chooseSandbox(mode, {
      hide: [...pathsOfStore(store), loginsFolder()],
      read,
      hosts,
      caches: true,
      gitIdentity: true,
    });
    const { sandbox } = chosen;
    return { confined: sandbox ? { sandbox } : {}, notice: sandboxNotice(chosen) };
  } catch (cause) {
    throw new CommandError(exitCodes.usage, cause instanceof Error ? cause.message : String(cause));
  }
}
