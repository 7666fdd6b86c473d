// Finds the tools that an agent was given here and its server lacks, and describes them to the server.
import { ConversationError, type Agent, type JsonObject } from '@conv/core';
import { isToolFactory, type ClientToolInput, type Tool, type ToolSource } from '@conv/core/tool';
import { serverRoutes } from '@conv/openhands/rest';

import { callRoute } from '../transport/call-route.ts';
import type { ServerCapabilities } from '../transport/server-capabilities.ts';
import type { ServerClient } from '../transport/server-client.ts';

/** The tools of an agent, here and on its server. */
export interface FoundTools {
  /** The tools that this process executes. */
  readonly own: readonly Tool[];
  /** Names of the tools of the server; empty if it lists none, or was not asked. */
  readonly there: readonly string[];
}

/** The tool that gives tasks to sub-agents, by its name in calls and by its name in the agents of OpenHands. */
const TASK = 'task';
const TASK_OF_OPENHANDS = 'task_tool_set';

/**
 * Returns the tools of an agent that this process executes, because the server has no tool of that name. Rejects `UNSUPPORTED`,
 * with its name, for a tool that works in a workspace, because that is on the server. Rejects it for any tool if the server takes
 * no answers to calls.
 */
export async function findOwnTools(
  client: ServerClient,
  agent: Agent,
  { callAnswers }: ServerCapabilities,
  signal: AbortSignal | undefined,
): Promise<FoundTools> {
  const sources = (agent.tools?.() ?? []).filter((source): source is ToolSource => !('provide' in source));
  if (sources.length === 0) return { own: [], there: [] };
  const listed = await callRoute(client, serverRoutes.listTools, {}, { signal });
  const there = new Set(listed.map((name) => plainName(name === TASK_OF_OPENHANDS ? TASK : name)));
  const missing = sources.filter(({ name }) => !there.has(plainName(name)));
  const bound = missing.find((source) => isToolFactory(source));
  // a server that lists no tools does not say which tools it has
  if (bound && there.size > 0)
    throw refused(
      `the server has no tool ${JSON.stringify(bound.name)}, which works in the workspace there; leave it out`,
    );
  const own = missing.filter((source): source is Tool => !isToolFactory(source));
  const [first] = own;
  if (first && !callAnswers)
    throw refused(
      `the server has no tool ${JSON.stringify(first.name)}, and does not let clients answer calls; leave it out, or add it to the server`,
    );
  return { own, there: listed };
}

/** Checks that a stored conversation has these tools. Throws `UNSUPPORTED`, which names the first tool that it lacks. */
export function checkKept(own: readonly Tool[], kept: readonly { readonly name: string }[]): void {
  const lacking = own.find(({ name }) => !kept.some((tool) => tool.name === name));
  if (lacking)
    throw refused(
      `the conversation on the server has no tool ${JSON.stringify(lacking.name)}; a conversation gets its tools when it is created, so leave it out`,
    );
}

/** Returns the tool in the form in which the server takes it. */
export function toClientTool({ name, description, inputSchema, annotations }: Tool): ClientToolInput {
  const { title, readOnly, destructive, idempotent, openWorld } = annotations;
  const hints = {
    ...(title === undefined ? {} : { title }),
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
  return { name, description, parameters: inputSchema, annotations: hints, answers: 'caller' };
}

/** Returns the description of the agent with the server's names of its tools, and without those of this process, which the server would look for. */
export function describedThere(description: JsonObject, { own, there }: FoundTools): JsonObject {
  const { tools } = description;
  if (!Array.isArray(tools)) return description;
  const names = new Set(own.map(({ name }) => name));
  const kept = (tools as readonly { readonly name: string }[]).filter(({ name }) => !names.has(name));
  const isOtherName = !there.includes(TASK) && there.includes(TASK_OF_OPENHANDS);
  return {
    ...description,
    tools: kept.map((tool) => (isOtherName && tool.name === TASK ? { ...tool, name: TASK_OF_OPENHANDS } : tool)),
  };
}

/** Servers name tools as `terminal` or `TerminalTool`. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '').replace(/tool$/, '');
}

function refused(message: string): ConversationError {
  return new ConversationError('UNSUPPORTED', message);
}
