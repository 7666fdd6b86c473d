import type { Json, JsonObject, SecurityAnalyzerDescription, StateFields } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';
import { leavesSandbox } from '@conv/local/log';
import { allowsMore } from '@conv/turns';
import type { ChangeSettingsRequest, StartConversationRequest } from '@conv/openhands/rest';

import type { Access } from './access-keys.ts';
import { ApiError } from '../http/api-error.ts';
import { requireApprover } from './caller.ts';
import { has, type Caller } from './principal.ts';

/** Analyzers that leave nearly all decisions to the model, which the creator of a conversation chooses. */
const LENIENT: ReadonlySet<SecurityAnalyzerDescription['kind']> = new Set([
  'LLMSecurityAnalyzer',
  'PolicyRailSecurityAnalyzer',
]);

/**
 * Throws `ApiError` 403 if a new conversation would run actions or programs without approval and its creator may not approve.
 * @param agent as it is built, with its MCP servers
 */
export function checkStart(access: Access, request: StartConversationRequest, agent: JsonObject): void {
  const { kind } = request.confirmation_policy;
  if (!asks(request)) requireApprover(access, `A conversation with the policy ${kind} and these settings`);
  const { agent_definitions: definitions } = request;
  if (request.hook_config !== null || definitions.some(({ hooks }) => hooks))
    requireApprover(access, 'A conversation with hooks');
  if (agent['kind'] === 'ACPAgent') requireApprover(access, 'A conversation whose agent is a program');
  if (runsServers(agent['mcp_config'])) requireApprover(access, 'A conversation with MCP servers that are commands');
  checkTags(access, {}, request.tags);
}

/** Throws `ApiError` 403 if tags approve kinds of calls for good that were not approved so before, and their sender may not approve. */
export function checkTags(
  access: Access,
  held: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): void {
  if (allowsMore(held, wanted)) requireApprover(access, 'Approving calls for good by the tag alwaysapproved');
}

/** True if risky actions need approval: always, or by a rating that is not the model's own. */
function asks({ confirmation_policy: policy, security_analyzer: analyzer }: StartConversationRequest): boolean {
  if (policy.kind === 'AlwaysConfirm') return true;
  if (policy.kind !== 'ConfirmRisky') return false;
  return analyzer === null ? policy.confirm_unknown : rates(analyzer);
}

function rates(analyzer: SecurityAnalyzerDescription): boolean {
  if (analyzer.kind === 'EnsembleSecurityAnalyzer') return analyzer.analyzers.some(rates);
  return !LENIENT.has(analyzer.kind);
}

/** Throws `ApiError` 403 if a run would approve pending actions or exceed the conversation's limit, and its caller may not approve. */
export function checkRun(
  access: Access,
  state: Pick<StateFields, 'executionStatus' | 'maxIterations'>,
  run: { readonly approves?: boolean; readonly max_iterations?: number | null } = {},
): void {
  const { approves = true, max_iterations: maxIterations } = run;
  const { executionStatus, maxIterations: allowed } = state;
  if (approves && executionStatus === 'waiting_for_confirmation')
    requireApprover(access, 'Running a conversation that waits for approval');
  if ((maxIterations ?? 0) > allowed)
    requireApprover(access, `A run of more than the ${allowed} responses that the conversation allows`);
}

/**
 * Throws `ApiError` 403 if one of these calls would run outside of the sandbox, as the user of the server, and the caller may not
 * administrate the server (decision 122). Calls that were approved before are not asked about again.
 */
export function checkOutside(
  caller: Caller,
  { calls }: Pick<StateFields, 'calls'>,
  actions: readonly ActionEvent[],
): void {
  checkCallsOutside(
    caller,
    actions.filter(({ id }) => calls[id] !== 'approved'),
  );
}

/** Throws the same error for calls of which none was approved, such as calls that the caller edited. */
export function checkCallsOutside(caller: Caller, calls: readonly Pick<ActionEvent, 'action'>[]): void {
  if (has(caller, 'admin') || !calls.some(leavesSandbox)) return;
  throw new ApiError(
    403,
    'Allowing a command outside of the sandbox needs the scope admin beside approve: reject the call, or show a key with both in X-Session-API-Key',
  );
}

/**
 * Throws `ApiError` 403 if the agent of the conversation is a program, which gets each secret as a variable of its environment, and the sender may not
 * approve: variables lead the program and its keys to another host (`ANTHROPIC_BASE_URL`), or name what it starts (`CLAUDE_CODE_EXECUTABLE`).
 */
export function checkSecrets(access: Access, { agent }: Pick<StateFields, 'agent'>): void {
  if (agent['kind'] === 'ACPAgent') requireApprover(access, 'Giving secrets to an agent that is a program');
}

/** Throws `ApiError` 403 if the changes loosen limits or supervision and their sender may not approve. */
export function checkChanges(access: Access, state: StateFields, changes: ChangeSettingsRequest): void {
  if (changes.damage_confirmed) requireApprover(access, 'Confirming damage, behind which settings may be weaker,');
  const limits = [
    ['max_iterations', changes.max_iterations, state.maxIterations],
    ['max_budget_per_run', changes.max_budget_per_run, state.maxBudgetPerRun],
    ['max_budget', changes.max_budget, state.maxBudget],
    ['tool_timeout', changes.tool_timeout, state.toolTimeout],
  ] as const;
  for (const [name, wanted, held] of limits)
    if (wanted !== undefined && (wanted ?? Infinity) > (held ?? Infinity))
      requireApprover(access, `Raising ${name} above ${held}`);
  if (changes.stuck_detection === false && state.stuckDetection) requireApprover(access, 'Turning stuck_detection off');
}

/** Stored settings that decide the rights of future conversations. */
export interface KeptDecisions {
  readonly agent_settings: JsonObject;
  readonly conversation_settings: JsonObject;
}

/**
 * Throws `ApiError` 403 if the change makes future conversations ask for fewer approvals, or run commands as MCP servers or agents, and
 * its sender may not approve.
 */
export function checkKept(access: Access, before: KeptDecisions, after: KeptDecisions): void {
  const [was, is] = [before.conversation_settings, after.conversation_settings];
  if (was['confirmation_mode'] === true && is['confirmation_mode'] !== true)
    requireApprover(access, 'Turning confirmation_mode off');
  if (strictness(is['security_analyzer']) < strictness(was['security_analyzer']))
    requireApprover(access, `Replacing the security_analyzer ${JSON.stringify(was['security_analyzer'])}`);
  if (Number(is['max_iterations'] ?? 0) > Number(was['max_iterations'] ?? Infinity))
    requireApprover(access, `Raising max_iterations above ${Number(was['max_iterations'])}`);
  const servers = after.agent_settings['mcp_config'];
  if (runsServers(servers) && JSON.stringify(servers) !== JSON.stringify(before.agent_settings['mcp_config']))
    requireApprover(access, 'Keeping MCP servers that are commands');
  checkProgram(access, before.agent_settings, after.agent_settings);
}

/** Members that decide what is started, and what the program does without a question. They count whatever the settings' agent is now. */
const OF_PROGRAMS = ['acp_command', 'acp_args', 'acp_session_mode'] as const;

/**
 * Throws `ApiError` 403 if settings or an agent profile name another program than before, or another way to start it, and their sender may
 * not approve.
 */
export function checkProgram(access: Access, before: JsonObject, after: JsonObject): void {
  const isProgram = ({ agent_kind: kind }: JsonObject): boolean => kind === 'acp';
  const isOther = (name: string): boolean => given(before[name]) !== given(after[name]);
  const becomes = isProgram(after) && (!isProgram(before) || isOther('acp_server'));
  if (becomes || OF_PROGRAMS.some(isOther)) requireApprover(access, 'Keeping an agent that is a program');
}

/** Returns a value as text; nothing and an empty list are the same. */
function given(value: Json | undefined): string {
  return JSON.stringify(Array.isArray(value) && value.length === 0 ? null : (value ?? null));
}

/** Returns how strict an analyzer is: 0 for none, 1 for the model's own rating or three rules, 2 for all rules. */
function strictness(analyzer: unknown): number {
  if (analyzer === undefined || analyzer === null || analyzer === 'none') return 0;
  return analyzer === 'pattern' ? 2 : 1;
}

/** True if an MCP configuration names a command, in either of its two forms. */
function runsServers(config: unknown): boolean {
  if (typeof config !== 'object' || config === null) return false;
  return 'command' in config || Object.values(config).some(runsServers);
}
