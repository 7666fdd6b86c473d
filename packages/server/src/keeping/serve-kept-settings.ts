import type { Cipher, JsonObject } from '@conv/core';
import {
  addMcpServer,
  agentSettingsSchema,
  conversationSettingsSchema,
  getAgentSettingsForm,
  getConversationSettingsForm,
  getSettings,
  removeMcpServer,
  type SecretExposure,
  type SettingsResponse,
  updateMcpServer,
  updateSettings,
} from '@conv/protocol';
import type { FastifyInstance } from 'fastify';

import { inTheClear } from '../conversations/secret-texts.ts';
import { ApiError } from '../http/api-error.ts';
import { serveRoute } from '../http/serve-route.ts';
import { exposed, exposureOf, readable } from './exposed.ts';
import type { Keep } from './keep.ts';
import { hasKey } from './llm-profiles.ts';
import { isObject } from './merge.ts';
import { AGENT_SETTINGS_FORM, CONVERSATION_SETTINGS_FORM } from './settings-forms.ts';
import type { KeptSettings, McpRefusal } from './settings-keep.ts';

/** Serves the settings that clients keep for conversations to come. */
export function serveKeptSettings(app: FastifyInstance, keep: Keep, cipher: Cipher | undefined): void {
  const { settings } = keep;
  const answer = (kept: KeptSettings, exposure: SecretExposure = 'redacted'): SettingsResponse =>
    toResponse(kept, exposure, cipher);
  serveRoute(app, getSettings, ({ request }) =>
    readable('Settings', async () => {
      const exposure = exposureOf(request, cipher);
      return answer(await settings.get(), exposure);
    }),
  );
  serveRoute(app, updateSettings, ({ body }) =>
    readable('Settings', async () => {
      if (Object.values(body).every((part) => part === undefined || part === null))
        throw new ApiError(400, 'At least one of the diffs, active_profile or active_agent_profile_id must be given');
      return answer(await settings.patch(body, (kept) => check(kept, cipher)));
    }),
  );
  serveRoute(app, getAgentSettingsForm, () => AGENT_SETTINGS_FORM);
  serveRoute(app, getConversationSettingsForm, () => CONVERSATION_SETTINGS_FORM);
  const changed = (key: string, kept: KeptSettings | McpRefusal): SettingsResponse => {
    if (kept === 'exists') throw new ApiError(409, `MCP server '${key}' already exists`);
    if (kept === 'missing') throw new ApiError(404, `MCP server '${key}' was not found`);
    return answer(kept);
  };
  serveRoute(app, addMcpServer, ({ params: { key }, body }) =>
    readable('Settings', async () =>
      changed(key, await settings.changeServer(key, { add: body as unknown as JsonObject })),
    ),
  );
  serveRoute(app, updateMcpServer, ({ params: { key }, body }) =>
    readable('Settings', async () =>
      changed(key, await settings.changeServer(key, { patch: body as unknown as JsonObject })),
    ),
  );
  serveRoute(app, removeMcpServer, ({ params: { key } }) =>
    readable('Settings', async () => changed(key, await settings.changeServer(key, 'remove'))),
  );
}

function toResponse(kept: KeptSettings, exposure: SecretExposure, cipher: Cipher | undefined): SettingsResponse {
  const { agent_settings: agent, ...rest } = kept;
  const { llm } = agent;
  return {
    ...rest,
    agent_settings: exposed(agent, exposure, cipher),
    llm_api_key_is_set: isObject(llm) && hasKey(llm),
  };
}

/** Throws {@link ApiError} 422 when this server could make nothing of them. What was wrong is named, no value is. */
function check(kept: KeptSettings, cipher: Cipher | undefined): void {
  const agent = agentSettingsSchema.safeParse(cipher ? inTheClear(kept.agent_settings, cipher) : kept.agent_settings);
  const conversation = conversationSettingsSchema.safeParse(kept.conversation_settings);
  const issues = [...(agent.error?.issues ?? []), ...(conversation.error?.issues ?? [])];
  if (issues.length === 0) return;
  const detail = issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new ApiError(422, `Settings validation failed: ${detail}`);
}
