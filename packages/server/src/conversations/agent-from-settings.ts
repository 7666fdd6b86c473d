import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { readAgentSettings } from '@conv/openhands/rest';

/** The tools of an agent whose settings name none. */
const DEFAULT_TOOLS: readonly JsonObject[] = ['terminal', 'file_editor', 'task_tracker'].map((name) => ({
  name,
  params: {},
}));

/** The tool that `enable_sub_agents` adds, and the names of equivalent tools. */
const SUB_AGENTS: JsonObject = { name: 'task_tool_set', params: {} };
const SUB_AGENT_TOOLS: readonly unknown[] = ['task_tool_set', 'task'];

/** The tool that `enable_classify_and_switch_llm_tool` adds. */
const ROUTE_TASK = 'ClassifyAndSwitchLLMTool';

/** Default tools of agents by the names under which settings list them. The agent has its skills without being told. */
const DEFAULT_BY_NAME: ReadonlyMap<unknown, string | undefined> = new Map<unknown, string | undefined>([
  ['finish', 'FinishTool'],
  ['think', 'ThinkTool'],
  ['switch_llm', 'SwitchLLMTool'],
  ['invoke_skill', undefined],
  ...['FinishTool', 'ThinkTool', 'SwitchLLMTool'].map((name) => [name, name] as const),
  ['InvokeSkillTool', undefined],
]);

/** Members of the settings that are copied to the agent unchanged. */
const COPIED: ReadonlySet<string> = new Set(['mcp_config', 'agent_context', 'persona', 'tool_concurrency_limit']);

/** The condenser's members of the same name. */
const CONDENSER: ReadonlySet<string> = new Set([
  'max_size',
  'max_tokens',
  'keep_first',
  'minimum_progress',
  'hard_context_reset_max_retries',
  'hard_context_reset_context_scaling',
]);

/** The programs that settings name without a command, as they are installed. Nothing is fetched, unlike on OpenHands' server. */
const PROGRAMS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['claude-code', ['claude-agent-acp']],
  ['codex', ['codex-acp']],
  ['gemini-cli', ['gemini', '--acp']],
  ['kimi-code', ['kimi', 'acp']],
  ['pi', ['pi-acp']],
  ['opencode', ['opencode', 'acp']],
]);

/**
 * Returns an agent, or its settings, without `acp_env`: OpenHands removed it in 1.29, and its TypeScript client still names it. Variables of a program
 * are secrets of the conversation, which are masked and encrypted.
 */
export function withoutVariables(agent: JsonObject): JsonObject {
  const { acp_env: _, ...rest } = agent;
  return rest;
}

/** Returns the agent that a settings object describes, as OpenHands' server builds it. Unknown members are kept. */
export function agentFromSettings(settings: JsonObject): JsonObject {
  const read = readAgentSettings(settings);
  const { llm = {} } = settings;
  const present = Object.entries(withoutVariables(settings)).filter(([, value]) => value !== null);
  const kept = Object.fromEntries(present.filter(([name]) => COPIED.has(name)));
  if (read.agent_kind === 'acp') {
    // the members of an ACP agent have the same names in the settings and in the agent
    const acp = Object.fromEntries(present.filter(([name]) => name.startsWith('acp_')));
    const { acp_server: server = 'claude-code', acp_command: given = [] } = acp;
    const command = Array.isArray(given) && given.length === 0 ? PROGRAMS.get(server) : given;
    return { kind: 'ACPAgent', ...acp, acp_server: server, ...(command ? { acp_command: command } : {}), ...kept };
  }
  const { enabled, ...limits } = read.condenser;
  const condenser = {
    kind: 'LLMSummarizingCondenser',
    llm: isJsonObject(llm) ? { ...llm, usage_id: 'condenser' } : {},
    ...Object.fromEntries(Object.entries(limits).filter(([name]) => CONDENSER.has(name))),
  };
  return {
    kind: 'Agent',
    llm,
    tools: toolsOf(read),
    include_default_tools: defaultToolsOf(read),
    ...kept,
    condenser: enabled === false ? null : condenser,
  };
}

/** True if agents have this tool, or their conversation adds it, without naming a tool of the server. */
export function isDefaultTool(name: string): boolean {
  return DEFAULT_BY_NAME.has(name);
}

function nameOf(tool: Json): Json | undefined {
  return isJsonObject(tool) ? tool['name'] : undefined;
}

function defaultToolsOf({ tools, enable_switch_llm_tool: switches }: ReturnType<typeof readAgentSettings>): Json {
  const listed = tools.flatMap((tool) => DEFAULT_BY_NAME.get(nameOf(tool)) ?? []);
  return [...new Set(['FinishTool', 'ThinkTool', ...(switches ? ['SwitchLLMTool'] : []), ...listed])];
}

function toolsOf(settings: ReturnType<typeof readAgentSettings>): Json {
  const { tools, enable_sub_agents: subAgents } = settings;
  const listed = tools.length > 0 ? tools.filter((tool) => !DEFAULT_BY_NAME.has(nameOf(tool))) : DEFAULT_TOOLS;
  const isThere = listed.some((tool) => SUB_AGENT_TOOLS.includes(nameOf(tool)));
  const all = subAgents && !isThere ? [...listed, SUB_AGENTS] : listed;
  if (!settings.enable_classify_and_switch_llm_tool) return all;
  return [...all.filter((tool) => nameOf(tool) !== ROUTE_TASK), routeTaskOf(settings)];
}

/** Returns the tool that chooses a model, with the rules of the settings. */
function routeTaskOf({
  active_meta_profile,
  meta_profile,
  meta_profile_llms,
}: ReturnType<typeof readAgentSettings>): JsonObject {
  const params = { active_meta_profile, meta_profile, meta_profile_llms };
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return { name: ROUTE_TASK, params: Object.fromEntries(given) as JsonObject };
}
