import type { Sandbox } from '@conv/core/tool';
import { reviveHooks } from '@conv/hooks';
import type { AgentServerOptions } from '@conv/server';

/**
 * Returns the factory of hooks. It throws `Error` for commands in a conversation whose tools act in an executor, on a server without a sandbox: they would run
 * as the user of the server, and an agent can write what they start, or the file that a client took them from, into the folder of its conversation.
 */
export function serverHooks(sandbox: Sandbox | undefined): NonNullable<AgentServerOptions['hooks']> {
  const revive = reviveHooks({ sandbox });
  return (config, { isExecuted }) => {
    if (isExecuted && sandbox === undefined && hasCommand(config)) throw new Error(UNCONFINED);
    return revive(config);
  };
}

const UNCONFINED =
  'expected a server with a sandbox for hooks that are commands, found one without, on which they would run outside of the executor of this conversation; leave them out, or start the server where it has a sandbox';

/** True if a hook in the configuration is a command. */
function hasCommand(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return ('command' in part && typeof part.command === 'string') || Object.values(part).some(hasCommand);
}
