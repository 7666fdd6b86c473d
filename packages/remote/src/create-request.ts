import {
  checks,
  checkOptionNames,
  type ConfirmationPolicy,
  type ConversationError,
  errorText,
  type JsonObject,
  type Limits,
  parseConfirmationPolicy,
  type SecurityAnalyzerDescription,
  type StoredHooks,
} from '@conv/core';

import { OPTION_NAMES, type RemoteConversationOptions } from './remote-conversation-options.ts';
import { toId } from './commands/remote-history.ts';
import { agentOf, analyzerOf, hooksOf, secretsOf, subAgentsOf } from './commands/to-wire.ts';

/** Options after their check, in the form that requests need. */
export interface CheckedOptions {
  readonly agent: JsonObject | undefined;
  readonly confirmationPolicy: ConfirmationPolicy | undefined;
  readonly securityAnalyzer: SecurityAnalyzerDescription | null | undefined;
  readonly limits: Partial<Limits>;
  readonly hooks: StoredHooks | null | undefined;
  /** Definitions of the sub-agents that the agent gives tasks to. */
  readonly subAgents: readonly JsonObject[];
}

/** Returns the options if they are right; throws `INVALID_INPUT` before any request to the server. */
export function checkOptions(options: RemoteConversationOptions): CheckedOptions {
  checkOptionNames('Conversation', options, OPTION_NAMES, checks.invalid);
  checks.sharedOptions(options);
  const { agent, confirmationPolicy, securityAnalyzer, hooks, tags, title, secrets } = options;
  for (const name of ['persistenceDir', 'store'] as const)
    if (options[name] !== undefined)
      throw checks.invalid(
        `Conversation: ${name} cannot be given, because the server stores the conversation; leave it out`,
      );
  for (const { name } of options.clientTools ?? []) checkFree(name);
  if (tags !== undefined) checks.tags(tags);
  if (title !== undefined) checks.title(title);
  if (secrets !== undefined) secretsOf(secrets);
  return {
    agent: agent === undefined ? undefined : agentOf(agent),
    subAgents: subAgentsOf(agent),
    confirmationPolicy: confirmationPolicy && parseConfirmationPolicy(confirmationPolicy),
    securityAnalyzer: securityAnalyzer === undefined ? undefined : analyzerOf(securityAnalyzer),
    limits: checks.limits(options),
    hooks: hooks === undefined ? undefined : hooksOf(hooks),
  };
}

/** Throws `INVALID_INPUT` for the name of a built-in tool: another server may run its own tool of that name, without approval. */
function checkFree(name: string): void {
  try {
    checks.freeToolName(name);
  } catch (error) {
    throw checks.invalid(`clientTools: ${errorText(error)}`, error);
  }
}

export function createRequest(
  id: string,
  workingDir: string,
  options: RemoteConversationOptions,
  checked: CheckedOptions,
): JsonObject {
  const { stuckDetection, tags, parentId, clientTools, secrets } = options;
  const { agent, confirmationPolicy, securityAnalyzer, limits, hooks, subAgents } = checked;
  const sources = Object.entries(secretsOf(secrets ?? {})).filter(([, source]) => source !== null);
  return {
    conversation_id: id,
    agent: agent ?? null,
    workspace: { working_dir: workingDir, kind: 'LocalWorkspace' },
    max_iterations: limits.maxIterations ?? 500,
    stuck_detection: stuckDetection ?? true,
    confirmation_policy: confirmationPolicy ?? { kind: 'NeverConfirm' },
    secrets: Object.fromEntries(sources) as JsonObject,
    tags: { ...tags },
    client_tools: [...(clientTools ?? [])] as unknown as JsonObject[],
    autotitle: options.autotitle ?? false,
    ...(securityAnalyzer ? { security_analyzer: securityAnalyzer } : {}),
    ...(hooks ? { hook_config: hooks } : {}),
    ...(subAgents.length === 0 ? {} : { agent_definitions: subAgents }),
    ...(options.openhands === undefined ? {} : { openhands: options.openhands }),
    ...(parentId === undefined ? {} : { parent_conversation_id: toId(parentId) }),
  };
}

/** Throws `INVALID_INPUT` if a server of this project made the conversation for other releases of OpenHands than the given ones. */
export function checkReleases(info: JsonObject, { id, openhands }: RemoteConversationOptions): void {
  const { openhands: stored, damaged } = info;
  // other servers do not say it, and damage may have taken it
  if (openhands === undefined || stored === undefined || openhands === stored || damaged === true) return;
  const made = stored === null ? 'none' : JSON.stringify(stored);
  throw checks.invalid(
    `Conversation: openhands: expected ${made}, with which conversation ${id} was made, found ${JSON.stringify(openhands)}; leave it out, or make a new conversation`,
  );
}

/** Returns `AGENT_MISMATCH` if the given agent is of another kind than the stored one. */
export function refusedAgent(
  stored: unknown,
  given: JsonObject | undefined,
  error: (code: 'AGENT_MISMATCH', message: string) => ConversationError,
): ConversationError | undefined {
  const kind = (stored as JsonObject | undefined)?.['kind'];
  const other = given?.['kind'] ?? 'Agent';
  if (!given || typeof kind !== 'string' || kind === other) return undefined;
  return error(
    'AGENT_MISMATCH',
    `expected an agent of kind ${kind}, as the server has stored it, found kind ${JSON.stringify(other)}`,
  );
}
