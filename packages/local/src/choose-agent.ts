import { ConversationError, type Agent, type AgentFactory, type JsonObject, type StateFields } from '@conv/core';

import { describeAgent, type LocalConversationOptions } from './conversation-options.ts';

/**
 * The agent that a conversation goes on with: the given one, or the stored one built again. Rejects `AGENT_REQUIRED` when
 * there is neither, `AGENT_MISMATCH`, `TOOLS_REMOVED`.
 */
export async function chooseAgent(
  stored: Pick<StateFields, 'id' | 'agent'>,
  { agent, cipher }: Pick<LocalConversationOptions, 'agent' | 'cipher'>,
  agents: AgentFactory | undefined,
): Promise<Agent> {
  if (agent) {
    checkSameAgent(stored.agent, describeAgent(agent, cipher));
    return agent;
  }
  const revived = await agents?.revive(stored.agent, cipher ? { cipher } : {});
  if (revived) return revived;
  throw new ConversationError(
    'AGENT_REQUIRED',
    `the agent of conversation ${stored.id} cannot be built here; give one`,
  );
}

/** The rules of resuming: the same kind of agent, and no tool that the stored one had is missing. */
function checkSameAgent(stored: JsonObject, given: JsonObject): void {
  if (typeof stored['kind'] === 'string' && stored['kind'] !== given['kind']) {
    throw new ConversationError(
      'AGENT_MISMATCH',
      `the stored agent is of kind ${stored['kind']}, the given one of ${JSON.stringify(given['kind'])}`,
    );
  }
  const offered = new Set(toolNames(given));
  const removed = toolNames(stored).filter((name) => !offered.has(name));
  if (removed.length > 0)
    throw new ConversationError(
      'TOOLS_REMOVED',
      `the stored agent had tools that the given one lacks: ${removed.join(', ')}`,
    );
}

function toolNames(description: JsonObject): readonly string[] {
  const tools = Array.isArray(description['tools']) ? (description['tools'] as readonly JsonObject[]) : [];
  const defaults = Array.isArray(description['include_default_tools'])
    ? (description['include_default_tools'] as readonly string[])
    : [];
  return [
    ...tools.map(({ name }) => (typeof name === 'string' ? name : JSON.stringify(name))),
    ...defaults.map(String),
  ];
}
