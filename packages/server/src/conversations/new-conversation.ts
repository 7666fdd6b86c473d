import { resolve } from 'node:path';
import { type Agent, errorText, type Hooks, type Json, type JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { ClientToolInput } from '@conv/core/tool';
import type { StartConversationRequest } from '@conv/openhands/rest';

import { accessIn } from '../auth/access-keys.ts';
import { checkStart } from '../auth/approver-checks.ts';
import type { Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { LaunchedProfile } from '../hosting/host-options.ts';
import type { NewConversation } from '../hosting/open-local.ts';
import { LOCAL, runtimeIn } from '../hosting/runtimes.ts';
import { ApiError, invalidMember } from '../http/api-error.ts';
import { agentFromSettings, withoutVariables } from './agent-from-settings.ts';
import { atRest, inTheClear } from '../http/secret-texts.ts';
import { STUCK_THRESHOLDS, answeringTools } from '../hosting/reopen-options.ts';
import { keptWorktree, worktreeGuidance, type WorktreePlan } from '../workspace/worktree.ts';
import { ignoredMembersOf } from './ignored-members.ts';
import {
  type Extended,
  keptPlugins,
  type Parts,
  withChosenPlugins,
  withOwnPlugins,
  withSkills,
} from './plugin-additions.ts';
import { chosenRuntime } from './chosen-runtime.ts';
import { refuseBadUrls, refuseBadUrlsOf } from './refuse-bad-urls.ts';
import { allowedSecrets, toSecrets } from './sent-secrets.ts';
import { keptFolders } from './given-folders.ts';
import { refuseUnresolved } from './unresolved-references.ts';
import { checkedWorkspace, planWorktree } from './workspace-folder.ts';

/** Members of a request that are stored with the conversation and otherwise ignored. */
export const KEPT: readonly (keyof StartConversationRequest)[] = [
  'worktree',
  'tool_module_qualnames',
  'user_id',
  'observability_metadata',
  'observability_tags',
  'observability_span_name',
  'autotitle',
  'title_llm_profile',
  'agent_definitions',
];

/** Members of newer releases that are stored if they are given, so that other folders stay as they are. */
const KEPT_IF_GIVEN = ['worktree_options', 'observability_parent_span_context', 'prompt'] as const;

export interface StartInput {
  readonly id: string;
  readonly request: StartConversationRequest;
  /** The body as the client sent it, including members that the schema does not know. */
  readonly asSent: JsonObject;
  readonly caller: Caller;
}

/** Result of reading a request to start a conversation. */
export interface Start {
  /** Options of the new conversation, with the agent built. */
  readonly wanted: NewConversation;
  /** The worktree in which the conversation is to work; not made yet. */
  readonly worktree: WorktreePlan | undefined;
}

/** Resolves with the options of a new conversation, also beyond the schema. Changes nothing. Rejects {@link ApiError} 404, 422. */
export async function toNewConversation(
  host: ConversationHost,
  { id, request: sent, asSent, caller }: StartInput,
): Promise<Start> {
  const { description, launched, publicSkills } = await agentOf(host, decrypted(host, sent));
  // before anything is read for a caller that may not start such a conversation
  checkStart(accessIn(caller), sent, description);
  const folder = await checkedWorkspace(sent.workspace.working_dir, host.options.workspaceRoots);
  const chosen = await withChosenPlugins(host, { request: sent, agent: description }, { caller, folder });
  checkStart(accessIn(caller), chosen.request, chosen.agent);
  const runtime = chosenRuntime(host.options, sent);
  const worktree = sent.worktree ? await planWorktree(host, id, folder, sent.worktree_options ?? {}) : undefined;
  const guided = worktree ? { ...chosen, agent: withSuffix(chosen.agent, worktreeGuidance(worktree)) } : chosen;
  const { request, agent, hooks, folders } = await builtWithPlugins(host, { ...guided, publicSkills });
  const { security_analyzer: analyzer } = request;
  const wanted: NewConversation = {
    id,
    agent,
    workspace: worktree?.folder ?? folder,
    maxIterations: request.max_iterations,
    maxBudgetPerRun: request.max_budget_per_run,
    maxBudget: request.max_budget,
    toolTimeout: request.tool_timeout,
    stuckDetection: request.stuck_detection,
    confirmationPolicy: request.confirmation_policy,
    ...(analyzer === null ? {} : { securityAnalyzer: atRest(analyzer, host.options.cipher) }),
    ...(hooks ? { hooks } : {}),
    tags: request.tags,
    ...(request.openhands === null ? {} : { openhands: request.openhands }),
    ...secretsOf(host, request, launched),
    ...(request.parent_conversation_id === null ? {} : { parentId: request.parent_conversation_id }),
    ...clientToolsOf(request, agent),
    meta: {
      ...keptOf(host, request),
      ...keptPlugins(sent.plugins),
      ...keptFolders(folders),
      ...answeringTools(request.client_tools),
      ...stuckThresholds(host, asSent),
      ...ignoredMembersOf(asSent),
      ...(launched ? { launched_agent_profile: launched as unknown as JsonObject } : {}),
      ...(worktree ? keptWorktree(worktree) : {}),
      ...runtime,
    },
  };
  return { wanted, worktree };
}

/** A request with its agent and its hooks, as they will work. */
interface Built {
  readonly request: StartConversationRequest;
  readonly agent: Agent;
  readonly hooks: Hooks | undefined;
  readonly folders: readonly string[];
}

/** Builds the agent and the hooks with the plugins of the server's user, or without them if one of them cannot work, which is reported. */
async function builtWithPlugins(host: ConversationHost, chosen: Extended): Promise<Built> {
  const own = await withOwnPlugins(host, chosen);
  if (own.agent === chosen.agent && own.request === chosen.request) return built(host, chosen);
  try {
    return await built(host, own);
  } catch (error) {
    const alone = await built(host, chosen);
    host.report(error, { doing: 'adding the installed plugins to a conversation' });
    return alone;
  }
}

async function built(host: ConversationHost, { request, agent, folders = [] }: Parts): Promise<Built> {
  return { request, agent: await buildAgent(host, agent, sourceOf(request)), hooks: hooksOf(host, request), folders };
}

/** Throws {@link ApiError} 422 with the place of the error. */
function hooksOf({ options }: ConversationHost, request: StartConversationRequest): Hooks | undefined {
  const { hook_config: config } = request;
  if (config === null) return undefined;
  const isExecuted = runtimeIn(chosenRuntime(options, request)).name !== LOCAL;
  let hooks: Hooks | undefined;
  try {
    hooks = options.hooks?.(atRest(config, options.cipher), { isExecuted });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw invalidMember(['hook_config', ...placeOf(error)], errorText(error), error);
  }
  if (!hooks) throw invalidMember('hook_config', 'this server cannot run these hooks; leave them out');
  return hooks;
}

/** Checks that the parent exists, is another conversation and works in the same folder. Rejects {@link ApiError} 422. */
export async function checkParent(
  host: ConversationHost,
  id: string,
  request: StartConversationRequest,
): Promise<void> {
  const parentId = request.parent_conversation_id;
  if (parentId === null) return;
  if (parentId === id) throw new ApiError(422, 'A conversation cannot be its own parent');
  await using parent = await host.read(parentId);
  if (!parent) throw parentNotFound(parentId);
  if (resolve(parent.fields.workspace.workingDir) !== resolve(request.workspace.working_dir))
    throw new ApiError(
      422,
      'A conversation and its parent must have the same workspace; give the working_dir of the parent',
    );
}

/** Makes the refusal of a parent that does not exist, or that the caller may not know. */
export function parentNotFound(parentId: string): ApiError {
  return new ApiError(422, `Parent conversation not found: ${parentId}`);
}

/** The members of a request about a profile in the place of that of the agent profile. */
const LLM_PROFILE = ['agent_launch_additions', 'llm_profile_ref'];

interface Described {
  readonly description: JsonObject;
  readonly launched?: LaunchedProfile;
  readonly publicSkills?: readonly string[] | undefined;
}

async function agentOf(host: ConversationHost, request: StartConversationRequest): Promise<Described> {
  const { agent, agent_settings: settings, agent_profile_id: profileId, agent_launch_additions: additions } = request;
  const { profiles } = host.options;
  const llmProfile = additions?.llm_profile_ref ?? undefined;
  if (llmProfile !== undefined && profileId === null)
    throw invalidMember(LLM_PROFILE, 'it replaces the model of an agent profile; name that one in agent_profile_id');
  if (profileId !== null) {
    if (agent || settings)
      throw invalidMember('agent_profile_id', 'it excludes agent and agent_settings; give one of the three');
    const profile = await profiles?.agent(profileId, llmProfile === undefined ? {} : { llmProfile });
    if (!profile) throw new ApiError(404, `Agent profile '${profileId}' not found`);
    refuseUnresolved(profile.unresolved);
    await refuseBadUrlsOf(profile.settings, 'agent_profile_id', profiles);
    const { launched, publicSkills } = profile;
    return { description: added(agentFromSettings(profile.settings), request), launched, publicSkills };
  }
  await refuseBadUrls(agent, 'agent', profiles);
  await refuseBadUrls(settings, 'agent_settings', profiles);
  if (agent) return { description: added({ ...withoutVariables(agent), kind: agent['kind'] ?? 'Agent' }, request) };
  if (settings) return { description: added(agentFromSettings(settings), request) };
  throw invalidMember('agent', 'expected one of agent, agent_settings and agent_profile_id, found none');
}

function added(agent: JsonObject, { agent_launch_additions: additions }: StartConversationRequest): JsonObject {
  const suffix = additions?.system_message_suffix_append;
  return withSkills(suffix ? withSuffix(agent, suffix) : agent, additions?.skills ?? [], 'fill');
}

/** Returns the description of an agent with a text behind its prompt. */
export function withSuffix(agent: JsonObject, suffix: string): JsonObject {
  const context = isJsonObject(agent['agent_context']) ? agent['agent_context'] : {};
  const { system_message_suffix: before } = context;
  const whole = typeof before === 'string' && before !== '' ? `${before}\n\n${suffix}` : suffix;
  return { ...agent, agent_context: { ...context, system_message_suffix: whole } };
}

/** Returns the member of a request that the agent comes from. */
function sourceOf({ agent, agent_profile_id: profileId }: StartConversationRequest): string {
  if (profileId !== null) return 'agent_profile_id';
  return agent ? 'agent' : 'agent_settings';
}

/** Returns the path to a wrong member, as an error of the host names it. */
function placeOf(error: unknown): readonly string[] {
  const place = error instanceof Error && 'place' in error && typeof error.place === 'string' ? error.place : '';
  return place.match(/\w+/g) ?? [];
}

async function buildAgent(
  { options: { agents, cipher } }: ConversationHost,
  description: JsonObject,
  source: string,
): Promise<Agent> {
  let agent: Agent | undefined;
  try {
    agent = await agents.revive(description, cipher ? { cipher } : {});
  } catch (error) {
    // a stored agent comes by name, so its members are not in the request
    const place = source === 'agent_profile_id' ? [] : placeOf(error);
    throw invalidMember([source, ...place], errorText(error), error);
  }
  if (!agent)
    throw invalidMember(
      source,
      `agents of kind ${JSON.stringify(description['kind'])} cannot be built here; use another kind`,
    );
  return agent;
}

/** Returns the request with its encrypted members decrypted. */
function decrypted(
  { options: { cipher } }: ConversationHost,
  request: StartConversationRequest,
): StartConversationRequest {
  if (!request.secrets_encrypted) return request;
  if (!cipher)
    throw invalidMember('secrets_encrypted', 'this server has no key to decrypt it; send plain values without it');
  try {
    return inTheClear(request as unknown as JsonObject, cipher) as unknown as StartConversationRequest;
  } catch (error) {
    throw invalidMember('secrets_encrypted', errorText(error), error);
  }
}

/** Returns the secrets that have a value or a source to get it from, and that the profile allows the agent. */
function secretsOf(
  host: ConversationHost,
  request: StartConversationRequest,
  launched?: LaunchedProfile,
): Pick<NewConversation, 'secrets'> {
  const given = toSecrets(host, allowedSecrets(decrypted(host, request).secrets, launched));
  return Object.keys(given).length === 0 ? {} : { secrets: given };
}

/** Throws {@link ApiError} 422 that names the client's tool that the agent has already. */
function clientToolsOf(
  { client_tools: tools }: StartConversationRequest,
  { toolNames }: Agent,
): Pick<NewConversation, 'clientTools'> {
  for (const [index, { name }] of tools.entries())
    if (toolNames.includes(name))
      throw invalidMember(
        ['client_tools', String(index), 'name'],
        `there is another tool ${JSON.stringify(name)} of the agent; give this tool another name`,
      );
  return tools.length === 0 ? {} : { clientTools: tools as unknown as readonly ClientToolInput[] };
}

function keptOf({ options: { cipher } }: ConversationHost, request: StartConversationRequest): JsonObject {
  const { agent_launch_additions: additions } = request;
  const names = [...KEPT, ...KEPT_IF_GIVEN.filter((name) => request[name] !== null)];
  const kept = Object.fromEntries(names.map((name): [string, Json] => [name, request[name] as unknown as Json]));
  // the agent has the others, and 1.43.1 reads no further member here
  const stored = additions && { system_message_suffix_append: additions.system_message_suffix_append };
  return atRest({ ...kept, agent_launch_additions: stored }, cipher);
}

/** Returns the creator's thresholds for loop detection. Builds a detector with them, which refuses invalid ones. */
function stuckThresholds({ options: { stuckDetectorWith } }: ConversationHost, asSent: JsonObject): JsonObject {
  const { [STUCK_THRESHOLDS]: thresholds } = asSent;
  if (typeof thresholds !== 'object' || thresholds === null || !stuckDetectorWith) return {};
  try {
    stuckDetectorWith(thresholds as JsonObject);
  } catch (error) {
    throw invalidMember([STUCK_THRESHOLDS, ...placeOf(error)], errorText(error), error);
  }
  return { [STUCK_THRESHOLDS]: thresholds };
}
