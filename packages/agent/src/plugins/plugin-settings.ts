import { join } from 'node:path';
import { keptJson, type StoredHooks } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { Json, JsonObject } from '@conv/core/events';
import { mcpServerMembers, readHookFile } from '@conv/openhands/descriptions';
import { z } from 'zod';
import { firstProblem } from '../base/first-problem.ts';
import { invalidPlugin, type PluginFiles } from './plugin-files.ts';

/** Placeholders for the folder of the plugin, as files of several programs write it. */
const OWN_FOLDER = /\$\{(?:SKILL_ROOT|CLAUDE_PLUGIN_ROOT|PLUGIN_ROOT)\}/g;

const serverSchema = z.looseObject(mcpServerMembers);

/** Resolves with the hooks in `hooks/hooks.json` below a folder of the plugin; `undefined` without any. Moments that are not known are problems. Rejects {@link AgentError} `INVALID_PLUGIN`. */
export async function hooksOf(files: PluginFiles, inside: readonly string[]): Promise<StoredHooks | undefined> {
  const content = await files.json(...inside, 'hooks', 'hooks.json');
  if (content === undefined) return undefined;
  const path = join(files.directory, ...inside, 'hooks', 'hooks.json');
  try {
    const { description: _, ...members } = content;
    const { config, unknown } = readHookFile(inFolder(members, files.directory));
    for (const name of unknown) files.problems.push(`plugin ${path}: ${name}: there is no such moment here`);
    const isEmpty = Object.values(config).every((matchers) => Array.isArray(matchers) && matchers.length === 0);
    return isEmpty ? undefined : keptJson<'hooks'>(config as unknown as JsonObject);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw invalidPlugin(path, firstProblem(error), error);
  }
}

/** Resolves with the MCP servers in a file such as `.mcp.json`. Servers that cannot be read are problems. Rejects {@link AgentError} `INVALID_PLUGIN`. */
export async function serversOf(files: PluginFiles, file: string): Promise<Readonly<Record<string, JsonObject>>> {
  const content = await files.json(file);
  const servers = content?.['mcpServers'] ?? {};
  const path = join(files.directory, file);
  if (!isJsonObject(servers)) throw invalidPlugin(path, 'mcpServers: expected an object of servers by name');
  const read = Object.entries(servers).flatMap(([name, given]): readonly [string, JsonObject][] => {
    const server = serverSchema.safeParse(isJsonObject(given) ? withTransport(given) : given);
    if (server.success) return [[name, inFolder(server.data as JsonObject, files.directory)]];
    files.problems.push(`plugin ${path}: mcpServers.${name}: ${firstProblem(server.error)}`);
    return [];
  });
  return Object.fromEntries(read);
}

/** Other programs call the transport a type. */
function withTransport({ type, ...server }: JsonObject): JsonObject {
  return type === undefined || 'transport' in server ? server : { ...server, transport: type };
}

/** Returns a value whose texts have the folder of the plugin in the place of its placeholders. */
function inFolder<T extends Json>(value: T, folder: string): T {
  if (typeof value === 'string') return value.replaceAll(OWN_FOLDER, () => folder) as T;
  if (Array.isArray(value)) return value.map((item: Json) => inFolder(item, folder)) as unknown as T;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inFolder(item as Json, folder)])) as T;
}
