// Finds the tools that an agent was given here and its server lacks, and describes them to the server.
import { ConversationError, type Agent, type JsonObject } from '@conv/core';
import { isToolFactory, type ClientToolInput, type Tool, type ToolSource } from '@conv/core/tool';
import { serverRoutes } from '@conv/openhands/rest';

import { callRoute } from '../transport/call-route.ts';
import type { ServerCapabilities } from '../transport/server-capabilities.ts';
import type { ServerClient } from '../transport/server-client.ts';

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
): Promise<readonly Tool[]> {
  const sources = (agent.tools?.() ?? []).filter((source): source is ToolSource => !('provide' in source));
  if (sources.length === 0) return [];
  const listed = await callRoute(client, serverRoutes.listTools, {}, { signal });
  const there = new Set(listed.map((name) => plainName(name)));
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
  return own;
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

/** Returns the description of the agent without these tools, so that the server does not look for them. */
export function withoutTools(description: JsonObject, own: readonly Tool[]): JsonObject {
  const { tools } = description;
  if (!Array.isArray(tools)) return description;
  const names = new Set(own.map(({ name }) => name));
  return { ...description, tools: tools.filter((tool) => !names.has((tool as { readonly name: string }).name)) };
}

/** Servers name tools as `terminal` or `TerminalTool`. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '').replace(/tool$/, '');
}

function refused(message: string): ConversationError {
  return new ConversationError('UNSUPPORTED', message);
}
