import { sandbox, sandboxProblem } from '@conv/sandbox';
import type { Sandbox } from '@conv/core/tool';

import type { Configuration } from '../configuration/effective-configuration.ts';

/** The sandbox of a server's agents, or the reason for which agents run without a sandbox although the setting asks for it. */
export interface Confining {
  readonly sandbox?: Sandbox;
  readonly unconfined?: string;
}

/**
 * Resolves with the sandbox that the setting asks for. `auto` is without one where the machine has none. Rejects for `on` and `closed` there,
 * because a server that was told to confine commands must not run them otherwise.
 */
export async function confiningOf({
  sandbox: mode,
  conversationsFolder,
  settingsFolder,
  ownFiles,
}: Configuration): Promise<Confining> {
  if (mode === 'off') return {};
  const problem = await sandboxProblem();
  if (problem === undefined) {
    const network = mode === 'closed' ? 'closed' : 'open';
    return { sandbox: sandbox({ network, hide: [conversationsFolder, settingsFolder, ...ownFiles] }) };
  }
  if (mode === 'auto') return { unconfined: problem };
  throw new Error(`sandbox: expected a machine that confines commands for ${mode}, found none. ${problem}`);
}
