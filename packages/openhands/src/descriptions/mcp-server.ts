import { z } from 'zod';
import { absent, boolean, described, number } from '../schema/index.ts';
import { mcpCredentialSchema } from './mcp-credential.ts';

/** The schemas of the members of an MCP server. */
export const mcpServerMembers: Readonly<Record<string, z.ZodType>> = {
  args: absent(z.nullable(z.array(z.string()))),
  auth: absent(z.nullable(mcpCredentialSchema)),
  command: absent(z.nullable(z.string().min(1))),
  cwd: absent(z.nullable(z.string())),
  description: absent(z.nullable(z.string())),
  enabled: absent(boolean(), true),
  /** A null is a hidden secret. */
  env: absent(z.nullable(z.record(z.string(), z.nullable(z.string())))),
  /** A null is a hidden secret. */
  headers: absent(z.nullable(z.record(z.string(), z.nullable(z.string())))),
  icon: absent(z.nullable(z.string())),
  keep_alive: absent(z.nullable(boolean())),
  sse_read_timeout: absent(z.nullable(number())),
  timeout: absent(z.nullable(number())),
  transport: absent(z.nullable(z.enum(['stdio', 'http', 'streamable-http', 'sse']))),
  url: absent(z.nullable(z.string().min(1))),
};

/** An MCP server: a command to start, or a URL. */
export const mcpServerSchema = described('MCPServer', mcpServerMembers);
