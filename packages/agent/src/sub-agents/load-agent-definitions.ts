import { givenFolder } from '../base/given-folder.ts';
import { checkAgentOptions } from '../base/check-agent-options.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { AgentError } from '../base/agent-error.ts';
import { readFrontMatter } from '../skills/front-matter.ts';
import { firstProblem } from '../skills/skill-schema.ts';
import type { AgentDefinition } from './agent-definition.ts';
import { definitionSchema } from './definition-schema.ts';

/** Folders of a project, and of a home, that hold sub-agents; what the earlier one has is taken. */
const AGENT_FOLDERS = ['.agents/agents', '.openhands/agents'];

/** The most bytes of one file. */
const MAX_SIZE = 64 * 1024;

/** Options of {@link loadProjectAgentDefinitions}. */
export interface ProjectAgentsOptions {
  /**
   * The home folder with the user's own sub-agents, which come behind those of the project; `null`: none. Default: the
   * home directory.
   */
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
 * {@link loadAgentDefinitions} does.
 */
export async function loadProjectAgentDefinitions(
  directory: string,
  options: ProjectAgentsOptions = {},
): Promise<readonly AgentDefinition[]> {
  checkAgentOptions('loadProjectAgentDefinitions', options, { home: true });
  const { home = homedir() } = options;
  const places = [resolve(directory), ...(home === null ? [] : [resolve(home)])];
  const found = new Map<string, AgentDefinition>();
  for (const folder of places.flatMap((place) => AGENT_FOLDERS.map((path) => join(place, path))))
    for (const definition of (await definitionsIn(folder)) ?? [])
      if (!found.has(definition.name)) found.set(definition.name, definition);
  return [...found.values()];
}

/** `undefined` when there is no such folder. */
async function definitionsIn(folder: string): Promise<readonly AgentDefinition[] | undefined> {
  const names = await namesIn(folder);
  if (names === undefined) return undefined;
  const found = new Map<string, AgentDefinition>();
  for (const file of names.filter((name) => /\.md$/i.test(name) && name.toLowerCase() !== 'readme.md')) {
    const path = join(folder, file);
    const definition = await parseDefinition(await readText(path), path);
    const other = found.get(definition.name);
    if (other !== undefined) throw invalid(path, `name: ${other.source} has the same`);
    found.set(definition.name, definition);
  }
  return [...found.values()];
}

async function parseDefinition(text: string, path: string): Promise<AgentDefinition> {
  const { data, content } = await readFrontMatter(text, path, invalid);
  const read = definitionSchema.safeParse(data);
  if (!read.success) throw invalid(path, firstProblem(read.error), read.error);
  const { description, model, tools, skills, hooks } = read.data;
  if (description === undefined) throw invalid(path, 'description: an agent needs one, by which it is chosen');
  const {
    permission_mode: permissionMode,
    max_iteration_per_run: maxIterations,
    max_budget_per_run: maxBudget,
  } = read.data;
  const mcpServers = read.data.mcp_servers ?? read.data.mcp_config;
  return {
    name: read.data.name ?? basename(path).replace(/\.md$/i, ''),
    description,
    source: path,
    ...(content === '' ? {} : { systemPrompt: content }),
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(skills === undefined ? {} : { skills }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxBudget === undefined ? {} : { maxBudget }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(mcpServers === undefined ? {} : { mcpServers }),
  };
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw invalid(folder, 'cannot be read', error);
  }
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size <= MAX_SIZE) return await readFile(path, 'utf8');
  } catch (error) {
    throw invalid(path, 'cannot be read', error);
  }
  throw invalid(path, `the file has more than ${MAX_SIZE} bytes`);
}

function invalid(path: string, what: string, cause?: unknown): AgentError {
  return new AgentError('INVALID_AGENT', `agent ${path}: ${what}`, cause === undefined ? {} : { cause });
}
