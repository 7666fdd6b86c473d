import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean, number } from '../schema/scalars.ts';
import { type McpCredential, mcpCredentialSchema } from './mcp-credential.ts';

/** An MCP server: a command to start, or a URL. */
export interface McpServer {
  readonly args?: readonly string[] | null;
  readonly auth?: McpCredential | null;
  readonly command?: string | null;
  readonly cwd?: string | null;
  readonly description?: string | null;
  readonly enabled?: boolean;
  /** A null is a secret that is not told. */
  readonly env?: Readonly<Record<string, string | null>> | null;
  /** A null is a secret that is not told. */
  readonly headers?: Readonly<Record<string, string | null>> | null;
  readonly icon?: string | null;
  readonly keep_alive?: boolean | null;
  readonly sse_read_timeout?: number | null;
  readonly timeout?: number | null;
  readonly transport?: 'stdio' | 'http' | 'streamable-http' | 'sse' | null;
  readonly url?: string | null;
}

/** The schemas of the members of {@link McpServer}. */
export const mcpServerMembers: Readonly<Record<string, z.ZodType>> = {
  args: absent(z.nullable(z.array(z.string()))),
  auth: absent(z.nullable(mcpCredentialSchema)),
  command: absent(z.nullable(z.string().min(1))),
  cwd: absent(z.nullable(z.string())),
  description: absent(z.nullable(z.string())),
  enabled: absent(boolean(), true),
  env: absent(z.nullable(z.record(z.string(), z.nullable(z.string())))),
  headers: absent(z.nullable(z.record(z.string(), z.nullable(z.string())))),
  icon: absent(z.nullable(z.string())),
  keep_alive: absent(z.nullable(boolean())),
  sse_read_timeout: absent(z.nullable(number())),
  timeout: absent(z.nullable(number())),
  transport: absent(z.nullable(z.enum(['stdio', 'http', 'streamable-http', 'sse']))),
  url: absent(z.nullable(z.string().min(1))),
};

/** The schema of {@link McpServer}. */
export const mcpServerSchema: z.ZodType<McpServer> = named('MCPServer', kept(mcpServerMembers)) as z.ZodType<McpServer>;
