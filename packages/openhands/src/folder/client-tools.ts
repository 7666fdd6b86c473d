import type { Json, JsonObject, StateFields } from '@conv/core';
import { type ClientToolSpec } from '@conv/core/tool';
import { readClientTool } from '../client-tools/client-tool-spec.ts';
import { asArray, asObject } from './json-reader.ts';

/** Returns the agent as files hold it: its list of tools includes the client tools, each with its spec. */
export function withClientTools(agent: JsonObject, specs: readonly ClientToolSpec[]): JsonObject {
  if (specs.length === 0) return agent;
  const own = specs.map((spec): JsonObject => ({ name: spec.name, params: { spec: toWireClientTool(spec) } }));
  return { ...agent, tools: [...asArray(agent['tools']), ...own] };
}

/** Splits the agent of a file into the agent without client tools, and the client tools. */
export function splitAgent(agent: JsonObject): Pick<StateFields, 'agent' | 'clientTools'> {
  const tools = asArray(agent['tools']).map((tool) => ({ tool, spec: specIn(tool) }));
  const clientTools = tools.flatMap(({ spec }) => spec ?? []);
  if (clientTools.length === 0) return { agent, clientTools };
  return { agent: { ...agent, tools: tools.filter(({ spec }) => !spec).map(({ tool }) => tool) }, clientTools };
}

/** The specs in a list of `meta.json`. */
export function readClientTools(list: unknown): readonly ClientToolSpec[] {
  return asArray(list).flatMap((value) => readClientTool(value) ?? []);
}

/** Returns a spec as it is written: a member that is missing becomes null. */
export function toWireClientTool({ name, description, parameters, annotations }: ClientToolSpec): JsonObject {
  return { name, description, parameters, annotations: annotations ? ({ ...annotations } as JsonObject) : null };
}

/** Finds the spec in a tool. Other tools may have a parameter called `spec`, so the name must agree. */
function specIn(tool: Json): ClientToolSpec | undefined {
  const { name, params } = asObject(tool);
  const spec = readClientTool(asObject(params)['spec']);
  return spec?.name === name ? spec : undefined;
}
