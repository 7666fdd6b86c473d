import { givenFolder } from '../base/given-folder.ts';
import { checkAgentOptions } from '../base/check-agent-options.ts';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AgentError, isAgentError } from '../base/agent-error.ts';
import { namesIn, readText } from '../skills/markdown-folder.ts';
import { projectRoot } from '../skills/project-root.ts';
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
  /** Called with the error of each file that cannot be used; the others are loaded. Default: the first such file rejects. */
  readonly leaveOut?: (error: AgentError) => void;
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
  if (found === undefined)
    throw new AgentError(
      'INVALID_AGENT',
      `agent folder ${folder}: there is no such folder; create it, or name another`,
    );
  return found;
}

/**
 * Reads the sub-agents of a project (`null`: of none) and of its user: `.agents/agents` and `.openhands/agents` in the project, then the
 * same folders in the home. Missing folders are ignored; of two sub-agents with the same name the first is taken.
 * Sub-agents act with the rights of the agent that calls them: load only projects that you trust. Rejects as
 * {@link loadAgentDefinitions} does, and `INVALID_AGENT` for a link that leads out of the project and of its repository.
 */
export async function loadProjectAgentDefinitions(
  directory: string | null,
  options: ProjectAgentsOptions = {},
): Promise<readonly AgentDefinition[]> {
  checkAgentOptions('loadProjectAgentDefinitions', options, { home: true, leaveOut: true });
  const { home = homedir(), leaveOut } = options;
  const project =
    directory === null ? undefined : givenFolder('loadProjectAgentDefinitions', directory, 'INVALID_AGENT');
  const places = [
    ...(project === undefined ? [] : [{ place: project, root: await projectRoot(project), level: 'project' as const }]),
    ...(home === null ? [] : [{ place: resolve(home), root: undefined, level: 'user' as const }]),
  ];
  const found = new Map<string, AgentDefinition>();
  for (const { place, root, level } of places)
    for (const folder of AGENT_FOLDERS.map((path) => join(place, path)))
      for (const definition of (await definitionsIn(folder, { root, leaveOut })) ?? [])
        if (!found.has(definition.name)) found.set(definition.name, { ...definition, level });
  return [...found.values()];
}

interface FolderRules {
  /** The folder that the files must lie in. Default: any place. */
  readonly root?: string | undefined;
  readonly leaveOut?: ((error: AgentError) => void) | undefined;
}

/** Resolves with `undefined` if there is no such folder. */
async function definitionsIn(
  folder: string,
  { root, leaveOut }: FolderRules = {},
): Promise<readonly AgentDefinition[] | undefined> {
  const told = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!leaveOut || !isAgentError(error)) throw error;
      leaveOut(error);
      return undefined;
    }
  };
  const names = await told(() => namesIn(folder, invalidDefinition));
  if (names === undefined) return undefined;
  const found = new Map<string, AgentDefinition>();
  for (const file of names.filter((name) => /\.md$/i.test(name) && name.toLowerCase() !== 'readme.md'))
    await told(async () => {
      const path = join(folder, file);
      const definition = await parseDefinition(await readText(path, MAX_SIZE, invalidDefinition, { root }), path);
      const other = found.get(definition.name);
      if (other !== undefined) throw invalidDefinition(path, `name: ${other.source} has the same`);
      found.set(definition.name, definition);
    });
  return [...found.values()];
}
