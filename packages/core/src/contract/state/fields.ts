import type { RiskAssessment } from './risk-assessment.ts';
import { freezeJson } from '../../events/freeze-json.ts';
import type { GoalStatus } from '../../events/goal-status.ts';
import type { Json, JsonObject } from '../../platform/json.ts';
import type { Damage } from './log-position.ts';
import type { ClientToolSpec } from './client-tool-spec.ts';
import type { StoredHooks } from './hook-config.ts';
import type { StoredPolicy } from './stored-policy.ts';
import type { StoredAnalyzer } from './stored-analyzer.ts';

/** The status of a conversation. `finished`, `error` and `stuck` are ends of a run. */
export type ExecutionStatus =
  | 'idle'
  | 'running'
  | 'paused'
  | 'waiting_for_confirmation'
  | 'finished'
  | 'error'
  | 'stuck'
  | 'deleting';

/** Totals of one use of a model. */
export interface UsageMetrics {
  readonly modelName: string;
  /** US dollars. */
  readonly cost: number;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly contextWindow: number;
  /** Prompt and completion tokens of the last call. */
  readonly perTurnTokens: number;
  readonly lastResponseId: string;
  /** Further members of the wire's metrics object, such as a budget; written back unchanged. */
  readonly extra?: JsonObject;
}

/** The record of a run, from which another process can resume it. */
export interface RunRecord {
  /**
   * `waiting`: no process works on it, because it waits for its turn or its process has ended, and none of the open calls has
   * started. `working`: a process works on it, or did when it ended. `answered`: the agent has answered, and `Stop` hooks are
   * asked about the answer.
   */
  readonly phase: 'waiting' | 'working' | 'answered';
  /** The maximum number of model responses. */
  readonly maxIterations: number;
  /** Model responses on the live branch when it began. */
  readonly iterationsBefore: number;
  /** US dollars that were spent when it began. */
  readonly costBefore: number;
  /** The number of processes that resumed it, one after another, since its last completed step. */
  readonly takeovers: number;
}

/**
 * The state of a conversation beside its events: one member for each field of `base_state.json` and what we add. A pure
 * fold of the commits; values are plain JSON and never changed in place.
 */
export interface StateFields {
  /** A dashed UUID. */
  readonly id: string;
  /** The agent as the wire describes it. */
  readonly agent: JsonObject;
  readonly workspace: { readonly kind: string; readonly workingDir: string; readonly [key: string]: Json };
  readonly persistenceDir: string | null;
  /** Model responses per run. */
  readonly maxIterations: number;
  readonly stuckDetection: boolean;
  readonly executionStatus: ExecutionStatus;
  /** As the wire describes it, such as `{ kind: 'AlwaysConfirm' }`; `readPolicy` tells its meaning. */
  readonly confirmationPolicy: StoredPolicy;
  readonly securityAnalyzer: StoredAnalyzer | null;
  readonly activatedKnowledgeSkills: readonly string[];
  readonly activatedPathRules: readonly string[];
  readonly invokedSkills: readonly string[];
  readonly blockedActions: Readonly<Record<string, string>>;
  readonly blockedMessages: Readonly<Record<string, string>>;
  readonly lastUserMessageId: string | null;
  /** HEAD: the event that the next one follows. */
  readonly leafEventId: string | null;
  /** HEAD was moved before the first event; the next event starts a new tree. */
  readonly headIsEmpty: boolean;
  /** Totals by usage id. */
  readonly stats: Readonly<Record<string, UsageMetrics>>;
  /** `{ secret_sources: { NAME: source } }`, values as ciphertext or redacted. */
  readonly secretRegistry: JsonObject;
  readonly tags: Readonly<Record<string, string>>;
  readonly agentState: JsonObject;
  readonly hookConfig: StoredHooks | null;
  /** The client tools, which the caller declared and executes. */
  readonly clientTools: readonly ClientToolSpec[];

  /** Ciphertext of values that are masked although no secret has them now: rotated values, and answers of sources. */
  readonly hiddenValues: readonly string[];
  /** US dollars that a run may cost; `null`: no limit. */
  readonly maxBudgetPerRun: number | null;
  /** US dollars that all runs may cost together; `null`: no limit. */
  readonly maxBudget: number | null;
  /** Milliseconds that a call may take, unless its agent sets less; `null`: no limit. */
  readonly toolTimeout: number | null;
  /** The analyzer's assessments of the actions that wait for a person, by action id. */
  readonly assessments: Readonly<Record<string, RiskAssessment>>;
  /** Ids of user messages whose prompt hooks are still to run. */
  readonly uncheckedMessages: readonly string[];
  /** The current or the last goal; `null` before the first. */
  readonly goal: GoalStatus | null;
  readonly title: string | null;
  /** UTC, ISO 8601. */
  readonly createdAt: string;
  readonly parentId: string | null;
  readonly forkedFrom: { readonly conversationId: string; readonly eventId: string | null } | null;
  /** Messages that came while tool calls were open. They become events with these ids when all of them have ended. */
  readonly queue: readonly { readonly id: string; readonly draft: JsonObject }[];
  /**
   * Open calls by action id; an action without an entry is pending and waits for approval. `allowed`: the policy in force lets it
   * run; a stricter policy takes that back. `approved`: a person lets it run. `started`: its tool runs, or ran when a process ended.
   */
  readonly calls: Readonly<Record<string, 'allowed' | 'approved' | 'started'>>;
  /**
   * The current run; it means nothing while the conversation is at rest. `null` if there was none, as in the
   * fork of a running conversation.
   */
  readonly lastRun: RunRecord | null;
  /** True if commits were lost to damage, and no person has confirmed the settings since. Settings may be unknown while it is true. */
  readonly damaged: boolean;
  /** Recorded spans of damage, oldest first. */
  readonly damage: readonly Damage[];
  /** Members of imported files that have no field here, written back unchanged. */
  readonly extra: { readonly baseState: JsonObject; readonly meta: JsonObject };
}

/** The state before the first commit. */
export const initialFields: StateFields = freezeJson<StateFields>({
  id: '',
  agent: {},
  workspace: { kind: 'LocalWorkspace', workingDir: '' },
  persistenceDir: null,
  maxIterations: 500,
  stuckDetection: true,
  executionStatus: 'idle',
  confirmationPolicy: { kind: 'NeverConfirm' },
  securityAnalyzer: null,
  activatedKnowledgeSkills: [],
  activatedPathRules: [],
  invokedSkills: [],
  blockedActions: {},
  blockedMessages: {},
  lastUserMessageId: null,
  leafEventId: null,
  headIsEmpty: false,
  stats: {},
  secretRegistry: {},
  tags: {},
  agentState: {},
  hookConfig: null,
  clientTools: [],
  hiddenValues: [],
  maxBudgetPerRun: null,
  maxBudget: null,
  toolTimeout: null,
  assessments: {},
  uncheckedMessages: [],
  goal: null,
  title: null,
  createdAt: '1970-01-01T00:00:00.000Z',
  parentId: null,
  forkedFrom: null,
  queue: [],
  calls: {},
  lastRun: null,
  damaged: false,
  damage: [],
  extra: { baseState: {}, meta: {} },
});

/** All conversations begin with these very values. */
