import type { Sandbox } from '@conv/core/tool';
import type { SandboxMode } from '@conv/sandbox';
import { pathsOfStore } from '@conv/stores';

import { CommandError } from '../command-error.ts';
import { exitCodes } from '../exit-code.ts';

/** The sandbox of agents on this machine. */
export interface SandboxHere {
  /** For the parts of an agent; empty without a sandbox. */
  readonly confined: { readonly sandbox?: Sandbox };
  /** A sentence for the person about what confines commands; `undefined` for `off`. */
  readonly notice: string | undefined;
}

/**
 * Resolves with the sandbox that a mode asks for. It hides the store, which may lie in the workspace. Rejects {@link CommandError} for `on` and
 * `closed` on a machine that has none.
 */
export async function sandboxHere(mode: SandboxMode = 'off', store: string): Promise<SandboxHere> {
  if (mode === 'off') return { confined: {}, notice: undefined };
  const { chooseSandbox, sandboxNotice } = await import('@conv/sandbox');
  try {
    const chosen = await chooseSandbox(mode, { hide: pathsOfStore(store) });
    const { sandbox } = chosen;
    return { confined: sandbox ? { sandbox } : {}, notice: sandboxNotice(chosen) };
  } catch (cause) {
    throw new CommandError(exitCodes.usage, cause instanceof Error ? cause.message : String(cause));
  }
}
