import type { JsonObject } from '@conv/core';
import type { StartConversationRequest } from '@conv/protocol';

import type { HostedConversation } from '../hosted-conversation.ts';
import type { Access } from './access-keys.ts';
import { requireApprover } from './caller.ts';

/** Policies under which a person is asked. */
const ASKING: ReadonlySet<string> = new Set(['AlwaysConfirm', 'ConfirmRisky']);

/**
 * Throws `ApiError` 403 if a new conversation would run what nobody is asked about and its creator may not approve.
 * @param agent as it is built, with its servers of tools
 */
export function checkStart(access: Access, request: StartConversationRequest, agent: JsonObject): void {
  const { kind } = request.confirmation_policy;
  if (!ASKING.has(kind)) requireApprover(access, `A conversation with the policy ${kind}`);
  if (request.hook_config !== null) requireApprover(access, 'A conversation with hooks');
  if (runsServers(agent['mcp_config'])) requireApprover(access, 'A conversation with MCP servers that are commands');
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
