import { z } from 'zod';

import { McpError } from './mcp-error.ts';

/** Values by name. A process warning names a value that was not stored, `null` or ten asterisks; it is left out. */
export type McpValues = Readonly<Record<string, string | null>>;

/** The authentication at a server. Values may name secrets as `${NAME}`. */
export type McpAuth =
  | { readonly strategy: 'none' }
  /** Sends the value in `header_name`; without `header_name` as a bearer token. */
  | { readonly strategy: 'api_key'; readonly value?: string | null; readonly header_name?: string | null }
  | { readonly strategy: 'bearer'; readonly value?: string | null }
  | { readonly strategy: 'basic'; readonly username: string; readonly password?: string | null }
  | { readonly strategy: 'header'; readonly headers?: McpValues }
  /** A person logs in; needs the option `auth`. `authentication` may hold `client_id`, `client_secret` and `scopes`. */
  | { readonly strategy: 'oauth2'; readonly [member: string]: unknown };

/** An MCP server in the wire's shape: a process with `command`, or an address with `url`. */
export interface McpServerConfig {
  readonly command?: string | null;
  readonly args?: readonly string[] | null;
  /** Variables of the process beside the few that every server process gets. */
  readonly env?: McpValues | null;
  /** The folder of the process. Default: the conversation's working folder, from which a relative path starts too. */
  readonly cwd?: string | null;
  readonly url?: string | null;
  /** The transport. Default: `stdio` with a command, `sse` for an address whose path ends in `/sse`, else `http`. */
  readonly transport?: 'stdio' | 'http' | 'streamable-http' | 'sse' | null;
  readonly headers?: McpValues | null;
  readonly auth?: McpAuth | null;
  /** False if the server is configured but not used. Default `true`. */
  readonly enabled?: boolean;
  /** The form of `enabled: false` in configurations of other programs. */
  readonly disabled?: boolean | null;
  /** Seconds that a call may take. Default: the option `callTimeout`. */
  readonly timeout?: number | null;
  /** Not used; kept for other programs, as are the members below. */
  readonly sse_read_timeout?: number | null;
  readonly keep_alive?: boolean | null;
  readonly description?: string | null;
  readonly icon?: string | null;
}

/** MCP servers by name: the wire's `mcp_config`. */
export type McpConfig = Readonly<Record<string, McpServerConfig>>;

const text = z.string().nullish();
const values = z.record(z.string(), z.string().nullable());

const authSchema = z.discriminatedUnion('strategy', [
  z.object({ strategy: z.literal('none') }),
  z.object({ strategy: z.literal('api_key'), value: text, header_name: text }),
  z.object({ strategy: z.literal('bearer'), value: text }),
  z.object({ strategy: z.literal('basic'), username: z.string(), password: text }),
  z.object({ strategy: z.literal('header'), headers: values.optional() }),
  z.looseObject({ strategy: z.literal('oauth2') }),
]);

const serverSchema = z
  .strictObject({
    command: z.string().min(1).nullish(),
    args: z.array(z.string()).nullish(),
    env: values.nullish(),
    cwd: text,
    url: z.string().min(1).nullish(),
    transport: z.enum(['stdio', 'http', 'streamable-http', 'sse']).nullish(),
    headers: values.nullish(),
    auth: authSchema.nullish(),
    enabled: z.boolean().optional(),
    disabled: z.boolean().nullish(),
    timeout: z.number().positive().nullish(),
    sse_read_timeout: z.number().nullish(),
    keep_alive: z.boolean().nullish(),
    description: text,
    icon: text,
  })
  .refine(({ url }) => !url || /^https?:\/\/|\$\{/.test(url), { path: ['url'], message: 'expected an http(s) URL' })
  .refine(({ command, url }) => Boolean(command) !== Boolean(url), 'needs either a command or a url')
  .refine(
    ({ command, transport }) => !transport || (transport === 'stdio') === Boolean(command),
    'has a transport that does not fit: stdio goes with a command, the others with a url',
  );

/** Checks a configuration. Throws {@link McpError} `INVALID_CONFIG` that names servers and members, never their values. */
export function parseMcpConfig(config: McpConfig): McpConfig {
  const parsed = z.record(z.string().min(1), serverSchema).safeParse(config);
  if (parsed.success) return parsed.data as McpConfig;
  const { issues } = parsed.error;
  const servers = [...new Set(issues.flatMap(({ path }) => (path.length > 0 ? [String(path[0])] : [])))];
  if (typeof config === 'object' && config !== null && 'mcpServers' in config)
    throw new McpError(
      'INVALID_CONFIG',
      servers,
      'MCP configuration: expected servers by name, found mcpServers; give the value of mcpServers',
    );
  throw new McpError('INVALID_CONFIG', servers, `MCP configuration: ${issues.map(describe).join('; ')}`);
}

// zod's messages for these say what is expected; of the given value they hold at most names of members
function describe({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0
    ? `${message}; give servers by name, such as { files: { command, args } }`
    : `${path.join('.')}: ${message}`;
}
