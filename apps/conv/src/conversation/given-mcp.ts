import { readFileSync } from 'node:fs';

import { isMcpError, type McpConfig, mcpServers } from '@conv/tools';

import { exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';

/**
 * The MCP servers of a file, none for `false`: JSON with the servers by name, in a member `mcpServers` or as they are. Texts in it may name
 * secrets as `${NAME}`. Throws {@link CommandError} for a file that says something else; the message holds none of its values.
 */
export function givenMcp(file: string | false): McpConfig {
  if (file === false) return {};
  const servers = serversIn(readJson(file));
  try {
    mcpServers(servers);
    return servers;
  } catch (error) {
    if (!isMcpError(error)) throw error;
    throw new CommandError(exitCodes.usage, `${file}: ${error.message}`, { cause: error });
  }
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CommandError(
      exitCodes.usage,
      `the file of MCP servers ${file} cannot be read: ${reason}; --mcp takes the path of a JSON file`,
      { cause },
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    // the platform's message repeats a part of the file, in which credentials may be
    throw new CommandError(exitCodes.usage, `the file of MCP servers ${file} is not JSON; correct it`);
  }
}

/** Returns the servers, with or without `mcpServers` around them. The reader of configurations refuses any other shape. */
function serversIn(value: unknown): McpConfig {
  const isWrapped = typeof value === 'object' && value !== null && 'mcpServers' in value;
  return (isWrapped ? value.mcpServers : value) as McpConfig;
}
