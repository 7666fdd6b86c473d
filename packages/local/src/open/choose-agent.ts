import {
  type Agent,
  type AgentFactory,
  ConversationError,
  errorText,
  type JsonObject,
  type StateFields,
} from '@conv/core';

import { describeAgent, type LocalConversationOptions } from '../options/conversation-options.ts';
import { agentRequired, UnbuiltAgent } from './unbuilt-agent.ts';

type Stored = Pick<StateFields, 'id' | 'agent' | 'damage'>;

/**
 * Returns the agent of a conversation: the given agent, or the stored agent built again. If it cannot be built, returns an {@link
 * UnbuiltAgent}, because only work needs an agent. Rejects `AGENT_MISMATCH` and `TOOLS_REMOVED`. The tools are not checked if it
 * `worksForAnother`, because the parent decides on its tools, and a person may have opened it by hand with more.
 */
export async function chooseAgent(
  stored: Stored,
  { agent, cipher }: Pick<LocalConversationOptions, 'agent' | 'cipher'>,
  agents: AgentFactory | undefined,
  worksForAnother: boolean,
): Promise<Agent> {
  if (agent) {
    const given = describeAgent(agent, cipher);
    checkSameKind(stored.agent, given);
    if (!worksForAnother) checkSameTools(stored.agent, given);
    return agent;
  }
  const build = builder(stored, agents, cipher);
  return build(stored.agent).catch(() => unbuilt(stored, build));
}

/** Returns a function that builds agents of the conversation. It rejects `AGENT_REQUIRED`. */
function builder(
  { id, damage }: Stored,
  agents: AgentFactory | undefined,
  cipher: LocalConversationOptions['cipher'],
): (description: JsonObject) => Promise<Agent> {
  return async (description) => {
    // Only commit 0 named them: no other record in the store has them.
    if (description['kind'] === undefined && damage.some(({ from }) => from === 0))
      throw agentRequired(
        id,
        'commit 0 of its log, which named the agent and the workspace, is lost and has no other copy: ' +
          'restore the conversation from a backup, or open it with an agent and a workspace',
      );
    let revived: Agent | undefined;
    try {
      revived = await agents?.revive(description, cipher ? { cipher } : {});
    } catch (error) {
      throw agentRequired(id, errorText(error), error);
    }
    if (revived) return revived;
    const kind = JSON.stringify(description['kind']) ?? 'none';
    throw agentRequired(id, agents ? `agents of kind ${kind} are not known` : 'the runtime was given no `agents`');
  };
}

async function unbuilt(stored: Stored, build: (description: JsonObject) => Promise<Agent>): Promise<Agent> {
  const { kind = 'Agent', llm = {} } = stored.agent;
  const bare = await build({ kind, llm, tools: [], include_default_tools: [] }).catch(() => undefined);
  return new UnbuiltAgent({ stored, toolNames: toolNames(stored.agent), build, bare, remodelled: false });
}

/** Checks the first rule of resuming: the agent must be of the same kind. */
function checkSameKind(stored: JsonObject, given: JsonObject): void {
  if (typeof stored['kind'] === 'string' && stored['kind'] !== given['kind']) {
    throw new ConversationError(
      'AGENT_MISMATCH',
      `the stored agent is of kind ${stored['kind']}, the given one of ${JSON.stringify(given['kind'])}; give an agent of the stored kind`,
    );
  }
}

/** Checks the second rule of resuming: no tool of the stored agent may be missing. */
function checkSameTools(stored: JsonObject, given: JsonObject): void {
  const offered = new Set(toolNames(given));
  const removed = toolNames(stored).filter((name) => !offered.has(name));
  if (removed.length > 0)
    throw new ConversationError(
      'TOOLS_REMOVED',
      `the stored agent had tools that the given one lacks: ${removed.join(', ')}; give the agent these tools again`,
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
