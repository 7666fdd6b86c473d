import { givenFolder } from '../base/given-folder.ts';
import { checkAgentOptions } from '../base/check-agent-options.ts';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AgentError } from '../base/agent-error.ts';
import { namesIn, readText } from '../skills/markdown-folder.ts';
import { checkInside, projectRoot } from '../skills/project-root.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { invalidDefinition, parseDefinition } from './parse-definition.ts';

/** Folders of a project, and of a home, that hold sub-agents; what the earlier one has is taken. */
const AGENT_FOLDERS = ['.agents/agents', '.openhands/agents'];

/** The most bytes of one file. */
const MAX_SIZE = 64 * 1024;

/** Options of {@link loadProjectAgentDefinitions}. */
export interface ProjectAgentsOptions {
  /** The home with the user's own sub-agents, which come behind the project's; `null`: none. Default: `homedir()`. */
  readonly home?: string | null;
}

/**
 * Reads a folder of sub-agents, in the order of the names in it: each Markdown file except `README.md` is a sub-agent. Its
 * front matter may have `name` (default: the file's), `description`, `tools`, `skills`, `model`, `permission_mode`,
 * `max_iteration_per_run`, `max_budget_per_run`, `hooks` and `mcp_servers`; other members of it are ignored. The text
 * behind it is the prompt.
 *
 * Rejects {@link AgentError} `INVALID_AGENT` with the file and the field: for a folder or file that cannot be read, a file
 * above 64 KiB, front matter that is no YAML or has an impossible value, a sub-agent without description, and two
 * sub-agents with the same name.
 *
 * @example
 * ```ts
 * import { createAgent, loadAgentDefinitions, modelFromEnvironment, taskTool } from '@conv/agent';
 *
 * export const agent = async () => {
 *   const agents = await loadAgentDefinitions('/srv/agents');
 *   return createAgent({ model: modelFromEnvironment(), tools: [taskTool({ agents })] });
 * };
 * ```
 */
export async function loadAgentDefinitions(directory: string): Promise<readonly AgentDefinition[]> {
  const folder = givenFolder('loadAgentDefinitions', directory, 'INVALID_AGENT');
  const found = await definitionsIn(folder);
  if (found === undefined) throw new AgentError('INVALID_AGENT', `agent folder ${folder}: there is no such folder`);
  return found;
}

/**
 * Reads the sub-agents of a project and of its user: `.agents/agents` and `.openhands/agents` in the project, then the
 * same folders in the home. Missing folders are ignored; of two sub-agents with the same name the first is taken.
 * Sub-agents act with the rights of the agent that calls them: load only projects that you trust. Rejects as
 * {@link loadAgentDefinitions} does, and `INVALID_AGENT` for a link that leads out of the project and of its repository.
 */
export async function loadProjectAgentDefinitions(
  directory: string,
  options: ProjectAgentsOptions = {},
): Promise<readonly AgentDefinition[]> {
  checkAgentOptions('loadProjectAgentDefinitions', options, { home: true });
  const { home = homedir() } = options;
  const project = givenFolder('loadProjectAgentDefinitions', directory, 'INVALID_AGENT');
  const places = [
    { place: project, root: await projectRoot(project) },
    ...(home === null ? [] : [{ place: resolve(home), root: undefined }]),
  ];
  const found = new Map<string, AgentDefinition>();
  for (const { place, root } of places)
    for (const folder of AGENT_FOLDERS.map((path) => join(place, path)))
      for (const definition of (await definitionsIn(folder, root)) ?? [])
        if (!found.has(definition.name)) found.set(definition.name, definition);
  return [...found.values()];
}

/**
 * Resolves with `undefined` if there is no such folder.
 * @param root the folder that the files must lie in. Default: any place.
 */
async function definitionsIn(folder: string, root?: string): Promise<readonly AgentDefinition[] | undefined> {
  const names = await namesIn(folder, invalidDefinition);
  if (names === undefined) return undefined;
  const found = new Map<string, AgentDefinition>();
  for (const file of names.filter((name) => /\.md$/i.test(name) && name.toLowerCase() !== 'readme.md')) {
    const path = join(folder, file);
    if (root !== undefined) await checkInside(path, root, invalidDefinition);
    const definition = await parseDefinition(await readText(path, MAX_SIZE, invalidDefinition), path);
    const other = found.get(definition.name);
    if (other !== undefined) throw invalidDefinition(path, `name: ${other.source} has the same`);
    found.set(definition.name, definition);
  }
  return [...found.values()];
}
