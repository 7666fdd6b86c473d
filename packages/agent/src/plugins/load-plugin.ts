import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { AgentError } from '../base/agent-error.ts';
import { defined } from '../base/defined.ts';
import { firstProblem } from '../base/first-problem.ts';
import { givenFolder } from '../base/given-folder.ts';
import { namesIn } from '../skills/markdown-folder.ts';
import { skillIn, skillsWithin } from '../skills/found-skills.ts';
import type { Skill } from '../skills/skill.ts';
import { invalidDefinition, parseDefinition } from '../sub-agents/parse-definition.ts';
import { parseCommand } from './plugin-commands.ts';
import { invalidPlugin, PluginFiles } from './plugin-files.ts';
import { hooksOf, serversOf } from './plugin-settings.ts';
import type { Plugin } from './plugin.ts';

/** Folders of a plugin in which its manifest can be; the first counts. */
const MANIFEST_FOLDERS = ['.plugin', '.claude-plugin'];

/** The schema that a portable plugin's manifest names, and the folder with the parts of it that OpenHands has defined. */
const PORTABLE_SCHEMA = 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json';
const PORTABLE_PARTS = 'dev.openhands';

const line = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}<>\s/\\]+$/u, 'must be a name without spaces and slashes');

const manifestSchema = z.object({
  name: line,
  version: z.union([z.string(), z.number()]).transform(String).default('1.0.0'),
  description: z.string().default(''),
});

/** A manifest, and the file as it stands. */
type Manifest = z.output<typeof manifestSchema> & Pick<Plugin, 'manifest'>;

/**
 * Reads a plugin: its manifest in `.plugin/plugin.json` or `.claude-plugin/plugin.json`, the skills in `skills` or the one in its `SKILL.md`, the
 * commands in `commands`, the sub-agents in `agents`, the hooks in `hooks/hooks.json`, and the MCP servers in `.mcp.json`. All of these are
 * optional. A portable plugin (agent-plugins.org) has its manifest in `plugin.json` and its servers in `mcp.json`; its commands, sub-agents and hooks
 * are in `dev.openhands`. A part that cannot be read is left out and told in `problems`. Nothing of the plugin is run. `${SKILL_ROOT}` and
 * `${CLAUDE_PLUGIN_ROOT}` become the folder in hooks and servers; other placeholders stay.
 *
 * Rejects {@link AgentError} `INVALID_PLUGIN` for a folder that is not there or cannot be read, and a manifest that is no JSON or has no valid
 * name.
 *
 * @example
 * ```ts
 * import { loadPlugin } from '@conv/agent';
 *
 * export const names = async () => (await loadPlugin('/srv/plugins/weather')).skills.map(({ name }) => name);
 * ```
 */
export async function loadPlugin(directory: string): Promise<Plugin> {
  const folder = givenFolder('loadPlugin', directory, 'INVALID_PLUGIN');
  const real = await realpath(folder).catch((error: unknown) => {
    throw invalidPlugin(folder, 'there is no such folder', error);
  });
  const names = await namesIn(real, invalidPlugin);
  if (names === undefined) throw invalidPlugin(folder, 'expected a folder, found a file');
  const files = new PluginFiles(real);
  const portable = await portableManifest(files);
  const manifest = portable ?? (await manifestOf(files, basename(folder)));
  const inside = portable ? [PORTABLE_PARTS] : [];
  const skills = await skillsOf(files, names);
  const commands = await files.markdown(
    join(...inside, 'commands'),
    (text, path) => parseCommand(text, path, manifest.name),
    invalidPlugin,
  );
  const agents = await files.markdown(join(...inside, 'agents'), parseDefinition, invalidDefinition);
  const hooks = await files.part(() => hooksOf(files, inside));
  const mcpServers = (await files.part(() => serversOf(files, portable ? 'mcp.json' : '.mcp.json'))) ?? {};
  return {
    ...manifest,
    directory: real,
    skills: distinct([...skills, ...commands]),
    mcpServers,
    agents,
    problems: files.problems,
    ...defined({ hooks }),
  };
}

/** Resolves with the manifest of a portable plugin; `undefined` for another one. A `plugin.json` that names no schema is of another program. */
async function portableManifest(files: PluginFiles): Promise<Manifest | undefined> {
  const content = await files.json('plugin.json');
  if (content === undefined || !('$schema' in content)) return undefined;
  const path = join(files.directory, 'plugin.json');
  if (content['$schema'] !== PORTABLE_SCHEMA)
    throw invalidPlugin(path, `$schema: expected ${PORTABLE_SCHEMA}, found another one`);
  const read = manifestSchema.safeParse(content);
  if (read.success) return { ...read.data, manifest: content };
  throw invalidPlugin(path, firstProblem(read.error), read.error);
}

async function manifestOf(files: PluginFiles, folder: string): Promise<Manifest> {
  for (const place of MANIFEST_FOLDERS) {
    const content = await files.json(place, 'plugin.json');
    if (content === undefined) continue;
    const read = manifestSchema.safeParse(content);
    if (read.success) return { ...read.data, manifest: content };
    throw invalidPlugin(join(files.directory, place, 'plugin.json'), firstProblem(read.error), read.error);
  }
  const named = line.safeParse(folder);
  if (!named.success)
    throw new AgentError('INVALID_PLUGIN', `plugin ${files.directory}: the folder's name ${firstProblem(named.error)}`);
  return { name: named.data, version: '1.0.0', description: `Plugin loaded from ${named.data}` };
}

/** Returns the skills in the folder for them. Without one the plugin may itself be a skill. */
async function skillsOf(files: PluginFiles, names: readonly string[]): Promise<readonly Skill[]> {
  const found = await files.part(async () => {
    if (names.includes('skills')) return skillsWithin(join(files.directory, 'skills'), files.directory);
    const skill = await skillIn(files.directory, files.directory);
    return { skills: skill ? [skill] : [], problems: [] };
  });
  files.problems.push(...(found?.problems ?? []));
  return found?.skills ?? [];
}

/** Returns the skills with one of each name; the last wins. */
function distinct(skills: readonly Skill[]): readonly Skill[] {
  return [...new Map(skills.map((skill) => [skill.name, skill])).values()];
}
