import { isJsonObject } from '@conv/core/platform';
import type { JsonObject } from '@conv/core/events';
import { orAbsent, readLlm } from '@conv/openhands/descriptions';
import { z } from 'zod';
import { type ResponseTool, responseTool } from '../tools/response-tool.ts';
import { ROUTE_TASK_TOOL } from '../tools/route-task.ts';
import { TOOL_CONCURRENCY } from '../tools/tool-concurrency.ts';
import { TOOL_FILTER } from '../tools/tool-filter.ts';

/** The wire's name of the schema among a tool's parameters. */
export const RESPONSE_SCHEMA = 'response_schema';

/** The wire's name of the finish tool. */
const FINISH_TOOL = 'FinishTool';

// A member of another type counts as absent, because agents of other programs are built as far as they are understood.
const object = z.custom<JsonObject>(isJsonObject);
const listedTool = z.object({ name: orAbsent(z.string()), params: object.catch({}) });

const storedAgentSchema = z.object({
  llm: orAbsent(object.transform(readLlm)),
  tools: z.array(listedTool.catch({ params: {} })).catch([]),
  include_default_tools: orAbsent(z.array(z.unknown())),
  mcp_config: orAbsent(object),
  system_prompt: orAbsent(z.string().min(1)),
  persona: orAbsent(z.string()),
  agent_context: z
    .object({
      system_message_suffix: orAbsent(z.string()),
      user_message_suffix: orAbsent(z.string()),
      load_memory: orAbsent(z.boolean()),
      skills: z.array(z.unknown()).catch([]),
      disabled_skills: z.array(z.unknown()).catch([]),
    })
    .catch({ skills: [], disabled_skills: [] }),
  condenser: orAbsent(object),
  // these are checked where they are used, with an error that names them
  [TOOL_FILTER]: z.unknown().optional(),
  [TOOL_CONCURRENCY]: z.unknown().optional(),
});

/** A tool as a description lists it. */
export type ListedTool = z.output<typeof listedTool>;

/** The members of a stored description that an agent is built from. */
export type StoredAgent = z.output<typeof storedAgentSchema> & {
  /** The finish tool, where it is listed as a tool of its own; `tools` lacks it. */
  readonly finish: ListedTool | undefined;
};

/** Reads a stored description. */
export function storedAgent(description: JsonObject): StoredAgent {
  const agent = storedAgentSchema.parse(description);
  const finish = agent.tools.find(({ name }) => name === FINISH_TOOL);
  const tools = agent.tools.filter(({ name }) => name !== FINISH_TOOL);
  return { ...agent, tools: [...tools, ...routeByDefault(agent)], finish };
}

/** Returns the tool that chooses a model if it is listed among the default tools alone, where it can have no parameters. */
function routeByDefault({
  tools,
  include_default_tools: defaults = [],
}: z.output<typeof storedAgentSchema>): readonly ListedTool[] {
  if (!defaults.includes(ROUTE_TASK_TOOL) || tools.some(({ name }) => name === ROUTE_TASK_TOOL)) return [];
  return [{ name: ROUTE_TASK_TOOL, params: {} }];
}

/** Returns the finish tool with its schema, if it has one. Throws {@link AgentError} `INVALID_DESCRIPTION`. */
export function storedResponse({ finish }: StoredAgent): ResponseTool | undefined {
  const schema = finish?.params[RESPONSE_SCHEMA] ?? undefined;
  if (schema === undefined) return undefined;
  return responseTool(schema as JsonObject, 'INVALID_DESCRIPTION', `the stored agent's ${RESPONSE_SCHEMA}`);
}
