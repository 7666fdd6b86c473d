import type { Sandbox } from '@conv/core/tool';
import type { AgentServerOptions } from '@conv/server';

/** Returns the way to ask the program of an agent for its models: in this folder, and confined as in a conversation. */
export function askAcpModels(
  sandbox: Sandbox | undefined,
  workingDirectory: string,
): NonNullable<AgentServerOptions['acpModels']> {
  return async ({ agent: description, environment }, signal) => {
    // loaded on demand, because few clients ask
    const { acpAgents, acpModels } = await import('@conv/acp-agent');
    const agent = await acpAgents(sandbox ? { sandbox } : {}).revive(description);
    if (!agent) throw new TypeError('expected the description of an ACPAgent, found another one');
    return acpModels(agent, { workingDirectory, environment }, signal);
  };
}
