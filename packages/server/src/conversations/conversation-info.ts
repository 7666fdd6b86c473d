import { join } from 'node:path';

import type { Json, JsonObject, MissingSecret, StateFields } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { toBaseState } from '@conv/openhands/folder';
import { toConversationKey } from '@conv/core/store';
import type { ConversationInfo } from '@conv/openhands/rest';

import { withoutSecrets } from '../http/secret-texts.ts';
import { IGNORED_MEMBERS } from './ignored-members.ts';
import { ownerIn } from './owner.ts';
import type { runtimeInfoOf } from './runtime-info.ts';

/** Data of a conversation's info that its state does not hold. */
export interface InfoOptions {
  /** Time of the last change, as far as known. */
  readonly updatedAt: string;
  /** Ids of the conversation's children. */
  readonly children: readonly string[];
  /** The folder of all conversations. */
  readonly persistenceDir: string;
  /** State of the place in which its tools act. */
  readonly runtime: ReturnType<typeof runtimeInfoOf>;
  /** Secrets that have no value here. */
  readonly missingSecrets: readonly MissingSecret[];
  /** Tools that the agent lacks here. */
  readonly missingTools: readonly string[];
  /** Ids of the calls of client tools that wait for their answers while it runs. */
  readonly unansweredCalls: readonly string[];
  /** True if the agent is shown with its skills. */
  readonly includeSkills: boolean;
}

/** Returns a conversation's state as clients see it: with every member and without secrets. */
export function toConversationInfo(state: StateFields, options: InfoOptions): ConversationInfo {
  const { agent, workspace, stats, ...base } = toBaseState(state);
  const { meta } = state.extra;
  const info: Record<string, Json | undefined> = {
    ...base,
    id: state.id,
    workspace,
    persistence_dir: state.persistenceDir ?? join(options.persistenceDir, toConversationKey(state.id)),
    security_analyzer: withoutSecrets(state.securityAnalyzer),
    last_user_message_id: state.lastUserMessageId,
    leaf_event_id: state.leafEventId,
    stats: withNulls(stats),
    secret_registry: withoutSecrets({ secret_sources: {}, ...state.secretRegistry }),
    hook_config: withoutSecrets(base['hook_config'] ?? null),
    title: state.title,
    metrics: null,
    created_at: utc(state.createdAt),
    updated_at: utc(options.updatedAt),
    forked_from_conversation_id: state.forkedFrom?.conversationId ?? null,
    forked_from_event_id: state.forkedFrom?.eventId ?? null,
    parent_conversation_id: state.parentId,
    sub_conversation_ids: options.children,
    ...programModels(state),
    launched_agent_profile: launchedIn(meta),
    runtime_info: options.runtime as unknown as Json,
    tool_module_qualnames: isJsonObject(meta['tool_module_qualnames']) ? meta['tool_module_qualnames'] : {},
    agent: withoutSecrets(shownAgent(agent, options.includeSkills)),
    client_tools: state.clientTools as unknown as Json,
    missing_secrets: options.missingSecrets.map(({ name, reason }) => ({ name, reason })),
    damaged: state.damaged,
    damage: state.damage.map(({ from, to, reason, restored }) => ({ from, to, reason, restored })),
    missing_tools: options.missingTools,
    ignored_members: meta[IGNORED_MEMBERS] ?? [],
    owner: ownerIn(state),
    unanswered_calls: options.unansweredCalls,
    openhands: meta['openhands'] ?? null,
  };
  // these members exist only in the state file of the folder
  for (const name of ['head_is_empty', 'activated_path_rules']) delete info[name];
  return info as unknown as ConversationInfo;
}

/** Returns the models of the program that is the agent, as far as it has told them. */
function programModels({ agent, agentState }: StateFields): Record<string, Json> {
  const { acp_current_model_id: current, acp_available_models: models } = agentState;
  return {
    current_model_id: current ?? (agent['kind'] === 'ACPAgent' ? (agent['acp_model'] ?? null) : null),
    available_models: Array.isArray(models) ? models : [],
    supports_runtime_model_switch: agentState['acp_supports_runtime_model_switch'] === true,
  };
}

/** Returns the agent profile that a conversation was started with; a conversation of an earlier release has fewer members of it. */
function launchedIn({ launched_agent_profile: launched }: JsonObject): Json {
  return isJsonObject(launched) ? { secret_refs: null, llm_profile_ref: null, ...launched } : null;
}

/** Adds a kind to agents of other programs that lack it, because clients refuse agents without a kind. */
function shownAgent(agent: Json | undefined, includeSkills: boolean): JsonObject {
  const described: JsonObject = { kind: 'Agent', ...(agent as JsonObject) };
  return includeSkills ? described : withoutSkills(described);
}

/** Returns the description of an agent with an empty list of skills. */
export function withoutSkills(agent: JsonObject): JsonObject {
  const { agent_context: context } = agent;
  return isJsonObject(context) ? { ...agent, agent_context: { ...context, skills: [] } } : agent;
}

function withNulls(stats: Json | undefined): JsonObject {
  const usages = (stats as { readonly usage_to_metrics: JsonObject }).usage_to_metrics;
  const shown = Object.entries(usages).map(([usage, metrics]) => [
    usage,
    { max_budget_per_task: null, ...(metrics as JsonObject) },
  ]);
  return { usage_to_metrics: Object.fromEntries(shown) as JsonObject };
}

/** Returns a time as UTC with `Z`. A time without a zone is local. */
function utc(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
