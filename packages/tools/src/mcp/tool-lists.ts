import { isDeepStrictEqual } from 'node:util';

import type { Tool } from '@conv/core/tool';

import { argumentSchema } from './argument-schema.ts';
import { McpError } from './mcp-error.ts';
import { mcpTool } from './mcp-tool.ts';
import { withoutValues, type ListedTool, type ToolList } from './list-tools.ts';
import type { ServerConnection } from './server-connection.ts';
import { toolName } from './tool-name.ts';

interface KnownTool {
  readonly listed: ListedTool;
  readonly tool: Tool;
}

/** The tools of several servers as one list, in the order of the servers. */
export class ToolLists {
  readonly #servers: readonly ServerConnection[];
  #known: ReadonlyMap<ServerConnection, readonly KnownTool[]> = new Map();
  #tools: readonly Tool[] = [];

  constructor(servers: readonly ServerConnection[]) {
    this.#servers = servers;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /**
   * Takes the lists of servers in the place of those that they had. A tool that stays as it was stays the same object. Throws
   * {@link McpError} `DUPLICATE_TOOL`, and nothing is changed then. Returns what was left out, and whether anything changed.
   */
  take(lists: ReadonlyMap<ServerConnection, ToolList>): {
    readonly changed: boolean;
    readonly faults: readonly string[];
  } {
    const known = new Map(this.#known);
    const faults: string[] = [];
    for (const [server, list] of lists) {
      const said = (fault: string): void =>
        void faults.push(`the MCP server ${server.options.name}: ${server.hide(fault)}`);
      list.faults.forEach(said);
      known.set(server, this.#made(server, list.tools, said));
    }
    const tools = this.#together(known);
    const changed = tools.length !== this.#tools.length || tools.some((tool, index) => tool !== this.#tools[index]);
    this.#known = known;
    if (changed) this.#tools = tools;
    return { changed, faults };
  }

  #made(
    server: ServerConnection,
    tools: readonly ListedTool[],
    onFault: (fault: string) => void,
  ): readonly KnownTool[] {
    const before = new Map(this.#known.get(server)?.map((known) => [known.listed.name, known]));
    return tools.flatMap((listed) => {
      const known = before.get(listed.name);
      if (known && isDeepStrictEqual(known.listed, listed)) return [known];
      const shown = withoutValues(listed, (text) => server.hide(text));
      const name = toolName(listed.name, this.#servers.length > 1 ? server.options.name : undefined);
      try {
        return [{ listed, tool: mcpTool(shown, name, argumentSchema(name, listed.inputSchema), server) }];
      } catch {
        onFault(`its tool ${listed.name} is left out, because its input schema cannot be used`);
        return [];
      }
    });
  }

  #together(known: ReadonlyMap<ServerConnection, readonly KnownTool[]>): readonly Tool[] {
    const owners = new Map<string, string>();
    return this.#servers.flatMap((server) =>
      (known.get(server) ?? []).map(({ tool, listed }) => {
        const other = owners.get(tool.name);
        const { name } = server.options;
        if (other !== undefined)
          throw new McpError(
            'DUPLICATE_TOOL',
            [...new Set([other, name])],
            `the tool ${listed.name} of the MCP server ${name} would be called ${tool.name}, as one of ${other} is; rename or disable one of the servers`,
          );
        owners.set(tool.name, name);
        return tool;
      }),
    );
  }
}
