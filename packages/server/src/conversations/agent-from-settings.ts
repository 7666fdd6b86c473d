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

/** Members of the settings that are copied to the agent unchanged. */
const COPIED: ReadonlySet<string> = new Set(['mcp_config', 'agent_context', 'tool_concurrency_limit']);

/** The condenser's members of the same name. */
const CONDENSER: ReadonlySet<string> = new Set([
  'max_size',
  'max_tokens',
  'keep_first',
  'minimum_progress',
  'hard_context_reset_max_retries',
  'hard_context_reset_context_scaling',
]);

/** Returns the agent that a settings object describes, as OpenHands' server builds it. Unknown members are kept. */
export function agentFromSettings(settings: JsonObject): JsonObject {
  const read = readAgentSettings(settings);
  const { llm = {} } = settings;
  const present = Object.entries(settings).filter(([, value]) => value !== null);
  const kept = Object.fromEntries(present.filter(([name]) => COPIED.has(name)));
  if (read.agent_kind === 'acp') {
    // the members of an ACP agent have the same names in the settings and in the agent
    const acp = Object.fromEntries(present.filter(([name]) => name.startsWith('acp_')));
    return { kind: 'ACPAgent', ...(settings['llm'] ? { llm } : {}), ...acp, ...kept };
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
    include_default_tools: ['FinishTool', 'ThinkTool', ...(read.enable_switch_llm_tool ? ['SwitchLLMTool'] : [])],
    ...kept,
    condenser: enabled === false ? null : condenser,
  };
}

function toolsOf({ tools, enable_sub_agents: subAgents }: ReturnType<typeof readAgentSettings>): Json {
  const listed = tools.length > 0 ? tools : DEFAULT_TOOLS;
  const isThere = listed.some((tool) => isJsonObject(tool) && SUB_AGENT_TOOLS.includes(tool['name']));
  return subAgents && !isThere ? [...listed, SUB_AGENTS] : listed;
}
