import { z } from 'zod';
import { mcpServerSchema } from '../../descriptions/mcp-server.ts';
import { defineRoute } from '../define-route.ts';
import { boolean, kept, keptAs, orNull, request, requestAs } from '../../schema/index.ts';
import { settingsFormSchema } from './settings-form.ts';
import { mcpServerPatchSchema, settingsResponseSchema, updateSettingsRequestSchema } from './settings.ts';

const tag = 'Settings';
const text = { mediaType: 'text/plain' };
const secretName = z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/);
const storedSecret = kept({ name: z.string(), description: orNull(z.string()) });
const mcpParams = request({ key: z.string().min(1) });
const secretParams: z.ZodType<{ readonly name: string }> = request({ name: z.string() });
const unreadable = { 409: 'What is stored cannot be read with the key of the server.' };

/** The confirmation that something was removed. */
export const deletedSchema = keptAs('Deleted', { deleted: boolean() });

/** Routes of settings and of secrets for all conversations. */
export const settingsRoutes = {
  get: defineRoute(tag, 'GET /api/settings', 'get_settings', 'Get the settings', {
    scope: 'read',
    answer: settingsResponseSchema,
    exposeSecrets: true,
    errors: {
      400: 'The header `X-Expose-Secrets` has an unknown value.',
      503: 'The server has no key to encrypt with.',
    },
  }),

  update: defineRoute(tag, 'PATCH /api/settings', 'update_settings', 'Change settings', {
    scope: 'admin',
    body: updateSettingsRequestSchema,
    answer: settingsResponseSchema,
    errors: { 400: 'Nothing is to be changed.', ...unreadable },
  }),

  getAgentForm: defineRoute(
    tag,
    'GET /api/settings/agent-schema',
    'get_agent_settings_schema',
    'Get the form for the settings of agents',
    { scope: 'read', answer: settingsFormSchema },
  ),

  getConversationForm: defineRoute(
    tag,
    'GET /api/settings/conversation-schema',
    'get_conversation_settings_schema',
    'Get the form for the settings of conversations',
    { scope: 'read', answer: settingsFormSchema },
  ),

  addMcpServer: defineRoute(tag, 'POST /api/settings/mcp/{key}', 'create_mcp_server', 'Add an MCP server', {
    scope: 'admin',
    params: mcpParams,
    body: mcpServerSchema,
    success: 201,
    answer: settingsResponseSchema,
    errors: { 409: 'There is already an MCP server of this name.' },
  }),

  updateMcpServer: defineRoute(tag, 'PATCH /api/settings/mcp/{key}', 'update_mcp_server', 'Change an MCP server', {
    scope: 'admin',
    params: mcpParams,
    body: mcpServerPatchSchema,
    answer: settingsResponseSchema,
    errors: { 404: 'There is no MCP server of this name.' },
  }),

  removeMcpServer: defineRoute(tag, 'DELETE /api/settings/mcp/{key}', 'delete_mcp_server', 'Remove an MCP server', {
    scope: 'admin',
    params: mcpParams,
    answer: settingsResponseSchema,
    errors: { 404: 'There is no MCP server of this name.' },
  }),

  /** Lists the secrets that are kept, without their values. */
  listSecrets: defineRoute(tag, 'GET /api/settings/secrets', 'list_secrets', 'List secrets', {
    scope: 'admin',
    /** Only secrets that the agent profile of this id may have. Of OpenHands' 1.49. */
    query: request({ agent_profile_id: orNull(z.string()) }),
    answer: keptAs('SecretsListResponse', { secrets: z.array(storedSecret) }),
    errors: { ...unreadable, 404: 'There is no such agent profile.' },
  }),

  setSecret: defineRoute(tag, 'PUT /api/settings/secrets', 'create_secret', 'Keep a secret', {
    scope: 'admin',
    body: requestAs('SecretCreateRequest', { name: secretName, value: z.string(), description: orNull(z.string()) }),
    answer: storedSecret,
    errors: unreadable,
  }),

  getSecret: defineRoute(tag, 'GET /api/settings/secrets/{name}', 'get_secret_value', 'Get the value of a secret', {
    scope: ['admin', 'approve'],
    params: secretParams,
    answer: text,
    errors: { 404: 'There is no secret of this name.' },
  }),

  removeSecret: defineRoute(tag, 'DELETE /api/settings/secrets/{name}', 'delete_secret', 'Forget a secret', {
    scope: 'admin',
    params: secretParams,
    answer: deletedSchema,
    errors: { 404: 'There is no secret of this name.' },
  }),
};
