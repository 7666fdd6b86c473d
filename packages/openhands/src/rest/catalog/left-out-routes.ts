import { z } from 'zod';
import { absent, boolean, integer, jsonObject, keptAs, named, orNull, request, requestAs } from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';

const extensionName = z
  .string()
  .max(255)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const params = request({ extension_name: extensionName });
const missing = { 404: 'There is no such extension.' };
const revision = requestAs('BackendRevisionRequest', { revision: z.string().min(1) });

/** State of the program behind an extension. */
const backendStatusSchema = keptAs('BackendStatus', {
  name: z.string(),
  state: z.enum(['missing', 'stopped', 'starting', 'ready', 'unhealthy', 'unsupported']),
  revision: orNull(z.string()),
  prepared_revision: orNull(z.string()),
  pid: orNull(integer()),
  port: orNull(integer()),
  detail: orNull(z.string()),
});

const tag = 'Extensions';
const at = '/api/canvas-extensions/installed/{extension_name}' as const;

/** The parts that routes of one extension, and of the program behind it, have in common. */
const reading = { scope: 'read', params, errors: missing } as const;
const changing = { scope: 'admin', params, answer: jsonObject, errors: missing } as const;
const backend = { scope: 'admin', params, answer: backendStatusSchema } as const;
const session = { scope: 'admin', params, errors: { 503: 'Programs have no address here.' } } as const;

/** Routes of extensions of Agent Canvas, whose code runs in browsers, and of the programs behind them. From OpenHands' 1.44 on. */
const extensions = {
  install: defineRoute(tag, 'POST /api/canvas-extensions/install', 'install_canvas_extension', 'Install an extension', {
    scope: 'admin',
    body: requestAs('InstallCanvasExtensionRequest', {
      source: z.string().min(1),
      ref: orNull(z.string()),
      repo_path: orNull(z.string()),
      force: boolean().default(false),
    }),
    answer: jsonObject,
    errors: { 400: 'It cannot be installed.' },
  }),
  list: defineRoute(
    tag,
    'GET /api/canvas-extensions/installed',
    'list_installed_canvas_extensions',
    'List installed extensions',
    {
      scope: 'read',
      answer: keptAs('InstalledCanvasExtensionsListResponse', { canvas_extensions: z.array(jsonObject) }),
    },
  ),
  get: defineRoute(tag, `GET ${at}`, 'get_installed_canvas_extension', 'Get an installed extension', {
    ...reading,
    answer: jsonObject,
  }),
  update: defineRoute(tag, `PATCH ${at}`, 'set_canvas_extension_enabled', 'Switch an extension on or off', {
    ...changing,
    body: requestAs('UpdateCanvasExtensionStateRequest', { enabled: boolean() }),
  }),
  remove: defineRoute(tag, `DELETE ${at}`, 'uninstall_canvas_extension', 'Remove an extension', changing),
  getBundle: defineRoute(tag, `GET ${at}/bundle`, 'get_canvas_extension_bundle', 'Get the code of an extension', {
    ...reading,
    answer: { mediaType: 'text/javascript' },
  }),
  getIcon: defineRoute(tag, `GET ${at}/icon`, 'get_canvas_extension_icon', 'Get the icon of an extension', {
    ...reading,
    answer: { mediaType: 'image/svg+xml' },
  }),
  getBackend: defineRoute(
    tag,
    `GET ${at}/backend`,
    'get_canvas_extension_backend_status',
    'Get the state of a program',
    { ...backend, scope: 'read' },
  ),
  prepareBackend: defineRoute(
    tag,
    `POST ${at}/backend/prepare`,
    'prepare_canvas_extension_backend',
    'Fetch the program of an extension',
    { ...backend, body: revision },
  ),
  startBackend: defineRoute(
    tag,
    `POST ${at}/backend/start`,
    'start_canvas_extension_backend',
    'Start the program of an extension',
    { ...backend, body: revision },
  ),
  stopBackend: defineRoute(
    tag,
    `POST ${at}/backend/stop`,
    'stop_canvas_extension_backend',
    'End the program of an extension',
    backend,
  ),
  getBackendLogs: defineRoute(
    tag,
    `GET ${at}/backend/logs`,
    'get_canvas_extension_backend_logs',
    'Get the output of a program',
    {
      scope: 'admin',
      params,
      query: request({ limit_bytes: integer({ minimum: 1, maximum: 262_144 }).default(65_536) }),
      answer: keptAs('BackendLogs', { name: z.string(), logs: z.string(), truncated: boolean() }),
    },
  ),
  removeBackendData: defineRoute(
    tag,
    `DELETE ${at}/backend/data`,
    'delete_canvas_extension_backend_data',
    'Delete the data of a program',
    backend,
  ),
  openSession: defineRoute(
    tag,
    'POST /app-backends/{extension_name}/session',
    'create_app_backend_session',
    'Let a browser reach a program',
    { ...session, answer: jsonObject },
  ),
  closeSession: defineRoute(
    tag,
    'DELETE /app-backends/{extension_name}/session',
    'delete_app_backend_session',
    'Let a browser reach a program no more',
    { ...session, success: 204, answer: 'empty' },
  ),
};

const subscriptionStatus = keptAs('SubscriptionStatusResponse', {
  vendor: absent(z.string(), 'openai'),
  connected: boolean(),
  account_email: orNull(z.string()),
  expires_at: orNull(integer()),
});

const noLogin = { 404: 'There is no such login.' };

/** Routes of logins to subscriptions of one vendor. */
const subscriptions = {
  listModels: defineRoute(
    'LLM',
    'GET /api/llm/subscription/openai/models',
    'list_openai_subscription_models',
    'List models',
    {
      scope: 'read',
      answer: keptAs('SubscriptionModelsResponse', {
        vendor: absent(z.string(), 'openai'),
        models: z.array(z.string()),
      }),
    },
  ),
  getStatus: defineRoute(
    'LLM',
    'GET /api/llm/subscription/openai/status',
    'get_openai_subscription_status',
    'Get the state of a login',
    { scope: 'read', answer: subscriptionStatus },
  ),
  startLogin: defineRoute(
    'LLM',
    'POST /api/llm/subscription/openai/device/start',
    'start_openai_subscription_device_login',
    'Start a login',
    { scope: 'admin', answer: jsonObject, errors: { 503: 'There are no such logins here.' } },
  ),
  pollLogin: defineRoute(
    'LLM',
    'POST /api/llm/subscription/openai/device/poll',
    'poll_openai_subscription_device_login',
    'Ask for the outcome of a login',
    {
      scope: 'admin',
      body: named('SubscriptionDevicePollRequest', request({ device_code: z.string() })),
      answer: subscriptionStatus,
      errors: noLogin,
    },
  ),
  logOut: defineRoute('LLM', 'POST /api/llm/subscription/openai/logout', 'logout_openai_subscription', 'End a login', {
    scope: 'admin',
    answer: subscriptionStatus,
  }),
};

/** Routes of features that no server of this project has. They answer as OpenHands' server does while they are not used. */
export const leftOutRoutes = { extensions, subscriptions };
