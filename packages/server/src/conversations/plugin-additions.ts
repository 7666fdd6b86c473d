import { errorText, type JsonObject, type StoredHooks } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { StartConversationRequest } from '@conv/openhands/rest';

import { has, type Caller } from '../auth/principal.ts';
import type { ConversationHost } from '../hosting/conversation-host.ts';
import type { MayRead, ReadPlugin, ServerPlugins } from '../hosting/server-plugins.ts';
import { invalidMember } from '../http/api-error.ts';
import { AllowedFolders } from '../workspace/allowed-folders.ts';
import { ownSkills } from './own-skills.ts';

/** The request of a client, and the description of the agent that it asks for. */
export interface Parts {
  readonly request: StartConversationRequest;
  readonly agent: JsonObject;
  /** Folders of this machine with the files of what was added. Default: none. */
  readonly folders?: readonly string[];
  /** The names of the public skills that the agent may have. Default: all, if its context loads them. */
  readonly publicSkills?: readonly string[] | undefined;
}

/** The parts after plugins were added. */
export interface Extended extends Parts {
  /** Names of the plugins that were added. One of each name is. */
  readonly named: ReadonlySet<string>;
}

/** The caller that asks for a conversation, and the folder in which it is to work. */
export interface AskedFor {
  readonly caller: Caller;
  /** The folder of the conversation; it need not exist. */
  readonly folder: string;
}

/** Plugins that a request may name. Each may be fetched from a repository while the client waits. */
const MOST_PLUGINS = 32;

/** Bytes of all skills of an agent in JSON. Together with a message they have to fit into one event. */
const MAX_SKILLS = 512 * 1024;

/**
 * Adds the plugins that the request names, and what the folder brings if the agent loads the skills of projects. These are the choice of the client,
 * so they need the rights that the same hooks and servers in a request need. Rejects {@link ApiError} 422 for a plugin that cannot be loaded, and
 * for more than 32 of them.
 */
export async function withChosenPlugins(
  host: ConversationHost,
  parts: Parts,
  { caller, folder }: AskedFor,
): Promise<Extended> {
  const { plugins } = host.options;
  const { plugins: sources } = parts.request;
  if (!plugins) {
    if (sources !== null && sources.length > 0)
      throw invalidMember('plugins', 'this server loads no plugins; leave it out');
    return { ...parts, named: new Set() };
  }
  if (sources !== null && sources.length > MOST_PLUGINS)
    throw invalidMember('plugins', `expected at most ${MOST_PLUGINS} plugins, found ${sources.length}; name fewer`);
  let result = parts;
  const named = new Set<string>();
  for (const [index, source] of (sources ?? []).entries()) {
    const plugin = await plugins.load(source, mayReadOf(plugins, { caller, folder })).catch((error: unknown) => {
      throw invalidMember(['plugins', String(index), 'source'], errorText(error), error);
    });
    named.add(plugin.name);
    result = withPlugin(plugins, result, plugin);
  }
  if (contextOf(result.agent)['load_project_skills'] === true) {
    const projects = await orNone(host, 'reading the plugins of a project', () => plugins.ofProject(folder));
    for (const plugin of projects.filter(({ name }) => !named.has(name))) {
      named.add(plugin.name);
      result = withPlugin(plugins, result, plugin);
    }
    const skills = await orNone(host, 'reading the skills of a project', () => plugins.skillsOfProject(folder));
    result = { ...result, agent: withSkills(result.agent, skills, 'override') };
  }
  if (sizeOf(skillsIn(result.agent)) > MAX_SKILLS)
    throw invalidMember(
      'plugins',
      `expected skills of at most ${MAX_SKILLS} bytes in all, found more; name fewer plugins`,
    );
  return { ...result, named };
}

/**
 * Adds the skills of the server's user, and the plugins that are installed. They are the choice of the operator, so a client needs no right for them.
 * Reports and leaves out a plugin that does not fit, so that no installed plugin keeps a conversation from starting.
 */
export async function withOwnPlugins(host: ConversationHost, { named, ...parts }: Extended): Promise<Parts> {
  const { plugins } = host.options;
  if (!plugins) return parts;
  const { load_user_skills: user, load_public_skills: all, disabled_skills: disabled } = contextOf(parts.agent);
  let result = parts;
  if (user === true || all === true) {
    const wanted = {
      user: user === true,
      public: all === true && (parts.publicSkills ?? true),
      disabled: Array.isArray(disabled) ? disabled : [],
    };
    const read: ServerPlugins['skillsFor'] = (which) =>
      orNone(host, 'reading the skills of the user', () => plugins.skillsFor(which));
    const added = fitting(host, result.agent, await ownSkills(read, wanted));
    const places = added.flatMap(({ source }) => (typeof source === 'string' ? [source] : []));
    result = {
      ...result,
      agent: withSkills(result.agent, added, 'fill'),
      folders: withGiven(plugins, result.folders, places),
    };
  }
  const own = await orNone(host, 'reading the installed plugins', () => plugins.ofUser());
  for (const plugin of own) {
    if (named.has(plugin.name)) continue;
    const skills = fitting(host, result.agent, plugin.skills);
    result = withPlugin(plugins, result, { ...plugin, skills });
  }
  return result;
}

/** Returns the plugins of a request without passwords in their sources, to be stored. */
export function keptPlugins(sources: StartConversationRequest['plugins']): JsonObject {
  if (sources === null || sources.length === 0) return {};
  const plain = sources.map(({ source, ref, repo_path }) => ({
    source: source.replace(/^(\w[\w+.-]*:\/\/)[^/?#]*@/, '$1****@'),
    ref,
    repo_path,
  }));
  return { plugins: plain };
}

/** Returns the check of folders that sources name, `undefined` for any: a caller without the right to administrate names those of its conversation and of plugins. */
function mayReadOf({ folders }: ServerPlugins, { caller, folder }: AskedFor): MayRead | undefined {
  if (has(caller, 'admin')) return undefined;
  const allowed = new AllowedFolders([folder, ...folders]);
  return (directory) => allowed.check(directory);
}

/** Returns the parts with those of a plugin: its skills and servers replace others of the same name, its hooks come behind the others. */
function withPlugin(
  plugins: ServerPlugins,
  { request, agent, folders }: Parts,
  { directory, skills, hooks, mcpServers, agents }: ReadPlugin,
): Parts {
  const known = new Set(request.agent_definitions.map(({ name }) => name));
  const added = agents.filter(
    ({ name }) => !known.has(name as string),
  ) as StartConversationRequest['agent_definitions'];
  const servers = isJsonObject(agent['mcp_config']) ? agent['mcp_config'] : {};
  const hasServers = Object.keys(mcpServers).length > 0;
  return {
    request: {
      ...request,
      agent_definitions: [...request.agent_definitions, ...added],
      hook_config: hooks ? joined(request.hook_config, hooks) : request.hook_config,
    },
    agent: {
      ...withSkills(agent, skills, 'override'),
      ...(hasServers ? { mcp_config: { ...servers, ...mcpServers } } : {}),
    },
    folders: withGiven(plugins, folders, [directory]),
  };
}

/** Returns the folders with the folders that a conversation may read for more paths, without repetitions. */
function withGiven(
  plugins: ServerPlugins,
  folders: readonly string[] = [],
  paths: readonly string[],
): readonly string[] {
  return [...new Set([...folders, ...paths.flatMap((path) => plugins.givenFolder?.(path) ?? [])])];
}

/** Returns the hooks of both, the first ones first. */
function joined(first: StoredHooks | null, second: StoredHooks): StartConversationRequest['hook_config'] {
  if (first === null) return second as StartConversationRequest['hook_config'];
  const moments = { ...(first as JsonObject) };
  for (const [moment, matchers] of Object.entries(second as JsonObject)) {
    const before = moments[moment];
    moments[moment] = Array.isArray(before) && Array.isArray(matchers) ? [...before, ...matchers] : matchers;
  }
  return moments as StartConversationRequest['hook_config'];
}

/** Returns the agent with more skills. `fill`: skills that it has already stay; `override`: the new ones replace them. */
export function withSkills(agent: JsonObject, skills: readonly JsonObject[], mode: 'fill' | 'override'): JsonObject {
  if (skills.length === 0) return agent;
  const context = contextOf(agent);
  const [first, second] = mode === 'fill' ? [skills, skillsIn(agent)] : [skillsIn(agent), skills];
  const byName = new Map([...first, ...second].map((skill) => [skill['name'], skill]));
  // skills of the agent keep their places
  const order = new Map([...skillsIn(agent), ...skills].map((skill) => [skill['name'], byName.get(skill['name'])]));
  const all = [...order.values()].filter((skill) => skill !== undefined);
  return { ...agent, agent_context: { ...context, skills: all } };
}

/** Returns the skills that fit beside those of the agent, in their order, and reports the others. */
function fitting(host: ConversationHost, agent: JsonObject, skills: readonly JsonObject[]): readonly JsonObject[] {
  let size = sizeOf(skillsIn(agent));
  return skills.filter((skill) => {
    const next = size + sizeOf([skill]);
    if (next > MAX_SKILLS) {
      const name = JSON.stringify(skill['name']);
      host.report(
        new Error(
          `the skill ${name} was left out: an agent has at most ${MAX_SKILLS} bytes of skills; disable another one`,
        ),
        {
          doing: 'adding skills to a conversation',
        },
      );
      return false;
    }
    size = next;
    return true;
  });
}

function sizeOf(skills: readonly JsonObject[]): number {
  return skills.reduce((sum, skill) => sum + Buffer.byteLength(JSON.stringify(skill)), 0);
}

function skillsIn(agent: JsonObject): readonly JsonObject[] {
  const { skills } = contextOf(agent);
  return Array.isArray(skills) ? skills.filter((skill) => isJsonObject(skill)) : [];
}

function contextOf(agent: JsonObject): JsonObject {
  const context = agent['agent_context'];
  return isJsonObject(context) ? context : {};
}

/** Resolves with nothing for work that fails, and reports the failure. */
async function orNone<T>(
  host: ConversationHost,
  doing: string,
  work: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  try {
    return await work();
  } catch (error) {
    host.report(error, { doing });
    return [];
  }
}
