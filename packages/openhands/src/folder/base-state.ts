import { splitAgent, withClientTools } from './client-tools.ts';
import { toWireHooks } from './wire-hooks.ts';
import {
  keptJson,
  type ExecutionStatus,
  type Json,
  type JsonObject,
  type StateFields,
  type StoredPolicy,
} from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { asNumber, asObject, asText, asTextList, asTextMap } from './json-reader.ts';
import { fromWireStats, toWireStats } from './wire-stats.ts';

/** The statuses of the protocol. */
const STATUSES: readonly ExecutionStatus[] = [
  'idle',
  'running',
  'paused',
  'waiting_for_confirmation',
  'finished',
  'error',
  'stuck',
  'deleting',
];

const KNOWN: ReadonlySet<string> = new Set(
  [
    'id agent workspace persistence_dir max_iterations stuck_detection execution_status confirmation_policy',
    'security_analyzer activated_knowledge_skills activated_path_rules invoked_skills blocked_actions',
    'blocked_messages last_user_message_id leaf_event_id head_is_empty stats secret_registry tags agent_state',
    'hook_config conv',
  ].flatMap((line) => line.split(' ')),
);

/** Options of {@link toBaseState}. */
export interface BaseStateOptions {
  /** Leave out `leaf_event_id`, for a reader that finds the same HEAD from the events. Default `false`. */
  readonly omitHead?: boolean;
}

/** Returns the content of `base_state.json`: members in the reference's order, nulls left out. */
export function toBaseState(state: StateFields, options: BaseStateOptions = {}): JsonObject {
  const { kind, workingDir, ...workspace } = state.workspace;
  const all: Record<string, Json> = {
    id: state.id,
    agent: withClientTools(state.agent, state.clientTools),
    workspace: { working_dir: workingDir, ...workspace, kind },
    persistence_dir: state.persistenceDir,
    max_iterations: state.maxIterations,
    stuck_detection: state.stuckDetection,
    execution_status: state.executionStatus,
    confirmation_policy: state.confirmationPolicy,
    security_analyzer: state.securityAnalyzer,
    activated_knowledge_skills: state.activatedKnowledgeSkills,
    activated_path_rules: state.activatedPathRules,
    invoked_skills: state.invokedSkills,
    blocked_actions: state.blockedActions,
    blocked_messages: state.blockedMessages,
    last_user_message_id: state.lastUserMessageId,
    leaf_event_id: options.omitHead ? null : state.leafEventId,
    head_is_empty: state.headIsEmpty,
    stats: toWireStats(state.stats),
    secret_registry: state.secretRegistry,
    tags: state.tags,
    agent_state: state.agentState,
    hook_config: toWireHooks(state.hookConfig),
    ...state.extra.baseState,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
}

/**
 * Reads the state from a `base_state.json`. Members that are missing or of a wrong type get the reference's defaults. A policy that
 * cannot be read becomes AlwaysConfirm: never weaker than what was meant (P4). Unknown members land in `extra`.
 */
export function fromBaseState(base: JsonObject): Partial<StateFields> {
  const { kind, working_dir, ...workspace } = asObject(base['workspace']);
  const id = asText(base['id']);
  const analyzer = objectOrNull(base['security_analyzer']);
  const hooks = objectOrNull(base['hook_config']);
  const status = asText(base['execution_status']);
  const extra = Object.entries(base).filter(([key]) => !KNOWN.has(key));
  return {
    ...(id === undefined ? {} : { id }),
    ...splitAgent(asObject(base['agent'])),
    workspace: { kind: asText(kind) ?? 'LocalWorkspace', workingDir: asText(working_dir) ?? '', ...workspace },
    persistenceDir: asText(base['persistence_dir']) ?? null,
    maxIterations: asNumber(base['max_iterations']) || 500,
    stuckDetection: base['stuck_detection'] !== false,
    executionStatus: STATUSES.find((known) => known === status) ?? 'idle',
    confirmationPolicy: policyOf(base['confirmation_policy']),
    securityAnalyzer: analyzer && keptJson<'analyzer'>(analyzer),
    activatedKnowledgeSkills: asTextList(base['activated_knowledge_skills']),
    activatedPathRules: asTextList(base['activated_path_rules']),
    invokedSkills: asTextList(base['invoked_skills']),
    blockedActions: asTextMap(base['blocked_actions']),
    blockedMessages: asTextMap(base['blocked_messages']),
    lastUserMessageId: asText(base['last_user_message_id']) ?? null,
    leafEventId: asText(base['leaf_event_id']) ?? null,
    headIsEmpty: base['head_is_empty'] === true,
    stats: fromWireStats(base['stats']),
    secretRegistry: asObject(base['secret_registry']),
    tags: asTextMap(base['tags']),
    agentState: asObject(base['agent_state']),
    hookConfig: hooks && keptJson<'hooks'>(hooks),
    ...(extra.length > 0 ? { extra: { baseState: Object.fromEntries(extra), meta: {} } } : {}),
  };
}

function objectOrNull(value: Json | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

function policyOf(value: Json | undefined): StoredPolicy {
  if (value === undefined) return { kind: 'NeverConfirm' };
  const policy = asObject(value);
  return asText(policy['kind']) === undefined ? { kind: 'AlwaysConfirm' } : keptJson<'policy'>(policy);
}
