import type { Agent, AgentFactory } from '@conv/core';
import type { JsonObject } from '@conv/core/events';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';

/** Agents for commands that change a conversation and run nothing in it: a fork needs no model and no key. */
export const storedAgents: AgentFactory = {
  revive: async (description) => asStored(description),
};

function asStored(description: JsonObject): Agent {
  const agent: Agent = {
    describe: () => description,
    toolNames: [],
    start: () => Promise.reject(new CommandError(exitCodes.agent, 'this command cannot run an agent')),
    withModel: () => agent,
  };
  return agent;
}
