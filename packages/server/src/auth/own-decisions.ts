import type { JsonObject } from '@conv/core';
import type { StartConversationRequest } from '@conv/protocol';

import type { HostedConversation } from '../hosted-conversation.ts';
import type { Access } from './access-keys.ts';
import { requireApprover } from './caller.ts';

/** Analyzers that leave nearly all to the model, which the creator of a conversation chooses. */
const LENIENT: ReadonlySet<unknown> = new Set(['LLMSecurityAnalyzer', 'PolicyRailSecurityAnalyzer']);

/**
 * Throws `ApiError` 403 if a new conversation would run what nobody is asked about and its creator may not approve.
 * @param agent as it is built, with its servers of tools
 */
export function checkStart(access: Access, request: StartConversationRequest, agent: JsonObject): void {
  const { kind } = request.confirmation_policy;
  if (!asks(request)) requireApprover(access, `A conversation with the policy ${kind}, as it is set here,`);
  if (request.hook_config !== null) requireApprover(access, 'A conversation with hooks');
  if (runsServers(agent['mcp_config'])) requireApprover(access, 'A conversation with MCP servers that are commands');
}

/** True if a person is asked about what is risky: always, or by a rating that is not the model's own. */
function asks({ confirmation_policy: policy, security_analyzer: analyzer }: StartConversationRequest): boolean {
  if (policy.kind === 'AlwaysConfirm') return true;
  if (policy.kind !== 'ConfirmRisky') return false;
  return analyzer === null ? policy.confirm_unknown !== false : rates(analyzer);
}

function rates(analyzer: unknown): boolean {
  if (typeof analyzer !== 'object' || analyzer === null) return false;
  const { kind, analyzers } = analyzer as JsonObject;
  if (kind === 'EnsembleSecurityAnalyzer') return Array.isArray(analyzers) && analyzers.some(rates);
  return !LENIENT.has(kind);
}

/** Throws `ApiError` 403 if a run would approve what waits for approval and its caller may not. */
export function checkRun(access: Access, { conversation }: HostedConversation): void {
  if (conversation.state.executionStatus === 'waiting_for_confirmation')
    requireApprover(access, 'Running a conversation that waits for approval');
}

/** True if an MCP configuration names a command, in whichever of its two forms. */
function runsServers(config: unknown): boolean {
  if (typeof config !== 'object' || config === null) return false;
  return 'command' in config || Object.values(config).some(runsServers);
}
