import type { Cipher, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { mcpServerMembers } from '@conv/openhands/descriptions';
import {
  agentSettingsSchema,
  conversationSettingsSchema,
  type SecretExposure,
  type SettingsResponse,
  settingsRoutes,
  type UpdateSettingsRequest,
} from '@conv/openhands/rest';
import type { FastifyInstance } from 'fastify';

import { rulesOf } from './serve-meta-profiles.ts';
import { servingStored } from './settings-serving.ts';
import { accessOf } from '../auth/caller.ts';
import { checkKept } from '../auth/approver-checks.ts';
import { withoutVariables } from '../conversations/agent-from-settings.ts';
import { badUrlIn } from '../conversations/refuse-bad-urls.ts';
import { invalidMember, ApiError } from '../http/api-error.ts';
import { inTheClear } from '../http/secret-texts.ts';
import { serveRoute, type Call } from '../http/serve-route.ts';
import { exposedSettings, exposureOf } from '../settings/secret-exposure.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { hasKey } from '../settings/llm-profiles.ts';
import { AGENT_SETTINGS_FORM, CONVERSATION_SETTINGS_FORM } from '../settings/settings-forms.ts';
import { changedNewerSettings } from '../settings/newer-settings.ts';
import type { StoredSettings, SettingsCheck } from '../settings/stored-settings.ts';
import { withEnabled, withEnabledServers } from '../settings/with-enabled.ts';

/** Serves the settings that clients store for future conversations. */
export function serveStoredSettings(
  app: FastifyInstance,
  settingsStore: SettingsStore,
  cipher: Cipher | undefined,
): void {
  const serve = servingStored(app, 'Settings');
  const { settings } = settingsStore;
  const answer = (kept: StoredSettings, exposure: SecretExposure = 'redacted'): SettingsResponse =>
    toResponse(kept, exposure, cipher);
  serve(settingsRoutes.get, async ({ request }) => {
    const exposure = exposureOf(request, cipher);
    return answer(await settings.get(), exposure);
  });
  serve(settingsRoutes.update, async ({ body, request }) => {
    if (isEmpty(body))
      throw new ApiError(
        400,
        'At least one of the diffs, active_profile, active_agent_profile_id or active_meta_profile must be given',
      );
    await refuseUnknownTargets(settingsStore, body);
    const diff = inWireForm(body);
    const llm = await modelOfProfile(settingsStore, diff);
    const access = accessOf(request);
    const decide: SettingsCheck = (after, before) => {
      check(after, diff, cipher);
      refuseNewUrl(body, before, after);
      checkKept(access, before, after);
    };
    return answer(await settings.patch(diff, decide, { llm }));
  });
  const changeServer = async (
    { params: { key }, request }: Pick<Call<{ params: { readonly key: string } }>, 'params' | 'request'>,
    wanted: Parameters<typeof settings.changeServer>[1],
  ): Promise<SettingsResponse> => {
    const decide: SettingsCheck = (after, before) => checkKept(accessOf(request), before, after);
    const kept = await settings.changeServer(key, wanted, decide);
    if (kept === 'exists') throw new ApiError(409, `MCP server '${key}' already exists`);
    if (kept === 'missing') throw new ApiError(404, `MCP server '${key}' was not found`);
    return answer(kept);
  };
  serve(settingsRoutes.addMcpServer, (call) =>
    changeServer(call, { add: withEnabled(call.body as unknown as JsonObject) }),
  );
  serve(settingsRoutes.updateMcpServer, (call) =>
    changeServer(call, { patch: withEnabled(call.body as unknown as JsonObject) }),
  );
  serve(settingsRoutes.removeMcpServer, (call) => changeServer(call, 'remove'));
  serveRoute(app, settingsRoutes.getAgentForm, () => AGENT_SETTINGS_FORM);
  serveRoute(app, settingsRoutes.getConversationForm, () => CONVERSATION_SETTINGS_FORM);
}

/** True if a request changes nothing. A null clears a name, and changes a setting of a newer release, but is no diff. */
function isEmpty(diff: UpdateSettingsRequest): boolean {
  const { agent_settings_diff: agent, conversation_settings_diff: conversation, misc_settings_diff: misc } = diff;
  const names = [diff.active_profile, diff.active_agent_profile_id, diff.active_meta_profile];
  if ([agent, conversation, misc].some((part) => part) || names.some((name) => name !== undefined)) return false;
  return Object.keys(changedNewerSettings({}, diff)).length === 0;
}

/** Rejects {@link ApiError} 404 if a request names an agent profile or rules that do not exist. */
async function refuseUnknownTargets(
  { agentProfiles, metaProfiles }: SettingsStore,
  { active_agent_profile_id: id, active_meta_profile: meta }: UpdateSettingsRequest,
): Promise<void> {
  if (typeof id === 'string' && !(await agentProfiles.byId(id)))
    throw new ApiError(404, `Agent profile with id '${id}' not found`);
  if (typeof meta === 'string') await rulesOf(metaProfiles, meta);
}

function toResponse(kept: StoredSettings, exposure: SecretExposure, cipher: Cipher | undefined): SettingsResponse {
  const { llm } = kept.agent_settings;
  return { ...exposedSettings(kept, exposure, cipher), llm_api_key_is_set: isJsonObject(llm) && hasKey(llm) };
}

/** Resolves with the model of a profile that becomes active, unless the request has a model. Rejects {@link ApiError} 404 if unknown. */
async function modelOfProfile(
  { llmProfiles, settings }: SettingsStore,
  { active_profile: name, agent_settings_diff: agent }: UpdateSettingsRequest,
): Promise<JsonObject | undefined> {
  if (typeof name !== 'string') return undefined;
  // report unreadable settings before anything else
  await settings.get();
  const llm = await llmProfiles.resolved(name);
  if (!llm) throw new ApiError(404, `Profile '${name}' not found`);
  return agent && 'llm' in agent ? undefined : llm;
}

function inWireForm(diff: UpdateSettingsRequest): UpdateSettingsRequest {
  const { agent_settings_diff: agent } = diff;
  return agent ? { ...diff, agent_settings_diff: withEnabledServers(withoutVariables(agent)) } : diff;
}

/** Returns the errors of changed MCP servers; unchanged servers are not checked. */
function mcpIssues({ agent_settings: { mcp_config: config } }: StoredSettings, diff: UpdateSettingsRequest): string[] {
  const changed = diff.agent_settings_diff?.['mcp_config'];
  if (!isJsonObject(changed) || !isJsonObject(config)) return [];
  return Object.keys(changed).flatMap((name) => {
    const server = config[name];
    if (!isJsonObject(server)) return [`mcp_config.${name}: expected a server`];
    const unknown = Object.keys(server).filter((member) => !(member in mcpServerMembers));
    const issues = unknown.map((member) => `mcp_config.${name}.${member}: unknown member`);
    const isServer = typeof server['url'] === 'string' || typeof server['command'] === 'string';
    return isServer ? issues : [...issues, `mcp_config.${name}: expected a url or a command`];
  });
}

/**
 * Throws {@link ApiError} 422 for a bad base URL in the request. A bad URL that is stored already stays readable and blocks no
 * other change.
 */
function refuseNewUrl(diff: UpdateSettingsRequest, before: StoredSettings, after: StoredSettings): void {
  const bad = badUrlIn(after.agent_settings);
  if (!bad || memberAt(diff.agent_settings_diff, bad.path) === undefined) return;
  if (memberAt(before.agent_settings, bad.path) === memberAt(after.agent_settings, bad.path)) return;
  throw invalidMember(['agent_settings_diff', ...bad.path], bad.text);
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part, name) => (part as Readonly<Record<string, unknown>> | null | undefined)?.[name], value);
}

/** Throws {@link ApiError} 422 for settings that this server cannot use. Names the wrong members, and no value. */
function check(kept: StoredSettings, diff: UpdateSettingsRequest, cipher: Cipher | undefined): void {
  const agent = agentSettingsSchema.safeParse(cipher ? inTheClear(kept.agent_settings, cipher) : kept.agent_settings);
  const conversation = conversationSettingsSchema.safeParse(kept.conversation_settings);
  const issues = [...(agent.error?.issues ?? []), ...(conversation.error?.issues ?? [])];
  const wrong = [...issues.map(({ path, message }) => `${path.join('.')}: ${message}`), ...mcpIssues(kept, diff)];
  if (wrong.length > 0) throw new ApiError(422, `Settings validation failed: ${wrong.join('; ')}`);
}
