import { isDeepStrictEqual } from 'node:util';

import type { Tool } from '@conv/core/tool';

import { argumentSchema } from './argument-schema.ts';
import { mcpTool } from './mcp-tool.ts';
import { withoutValues, type ListedTool, type ToolList } from './list-tools.ts';
import type { ServerConnection } from './server-connection.ts';
import { otherNames, toolName } from './tool-name.ts';

interface KnownTool {
  readonly listed: ListedTool;
  readonly tool: Tool;
}

/** The tools of several servers as one list, in the order of the servers. */
export class ToolLists {
  readonly #servers: readonly ServerConnection[];
  readonly #taken: ReadonlySet<string>;
  #known: ReadonlyMap<ServerConnection, readonly KnownTool[]> = new Map();
  #tools: readonly Tool[] = [];

  /** @param taken - Names of other tools. */
  constructor(servers: readonly ServerConnection[], taken: ReadonlySet<string>) {
    this.#servers = servers;
    this.#taken = taken;
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  /**
   * Replaces the lists of these servers. A tool that did not change stays the same object, and a tool whose name is
   * taken gets another name. Returns the faults of tools that were left out, and `changed`: true if the tools changed.
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
      known.delete(server);
      const taken = new Set([...this.#taken, ...[...known.values()].flat().map(({ tool }) => tool.name)]);
      known.set(server, this.#made(server, list.tools, taken, said));
    }
    const tools = this.#servers.flatMap((server) => known.get(server)?.map(({ tool }) => tool) ?? []);
    const changed = tools.length !== this.#tools.length || tools.some((tool, index) => tool !== this.#tools[index]);
    this.#known = known;
    if (changed) this.#tools = tools;
    return { changed, faults };
  }

  #made(
    server: ServerConnection,
    tools: readonly ListedTool[],
    taken: Set<string>,
    onFault: (fault: string) => void,
  ): readonly KnownTool[] {
    const before = new Map(this.#known.get(server)?.map((known) => [known.listed.name, known]));
    // the name of a known tool is not given to another tool of the list
    const kept = new Set(tools.flatMap(({ name }) => before.get(name)?.tool.name ?? []));
    return tools.flatMap((listed) => {
      const known = before.get(listed.name);
      if (known && isDeepStrictEqual(known.listed, listed)) return [known];
      const name = known?.tool.name ?? this.#name(listed.name, server, (one) => taken.has(one) || kept.has(one));
      if (name === undefined) {
        onFault(`its tool ${listed.name} is left out, because all possible names for it are taken`);
        return [];
      }
      taken.add(name);
      const shown = withoutValues(listed, (text) => server.hide(text));
      try {
        return [{ listed, tool: mcpTool(shown, name, argumentSchema(name, listed.inputSchema), server) }];
      } catch {
        onFault(`its tool ${listed.name} is left out, because its input schema cannot be used`);
        return [];
      }
    });
  }

  #name(name: string, server: ServerConnection, isTaken: (name: string) => boolean): string | undefined {
    const { name: serverName } = server.options;
    const usual = toolName(name, this.#servers.length > 1 ? serverName : undefined);
    return [usual, ...otherNames(name, serverName)].find((one) => !isTaken(one));
  }
}
