import type { JsonObject } from '@conv/core';
import { keptJson } from '@conv/core';

import type { InstalledExtensions, ReadPlugin, ServerPlugins } from '../../src/hosting/server-plugins.ts';

type Installed = Awaited<ReturnType<InstalledExtensions['install']>>;

/** Returns a skill as an agent context has it. */
export function skill(name: string, content = `Text of ${name}.`): JsonObject {
  return { name, content, trigger: null };
}

/** Returns a plugin with one part of each kind. */
export function plugin(name: string, more: Partial<ReadPlugin> = {}): ReadPlugin {
  return {
    name,
    version: '1.0.0',
    description: `About ${name}.`,
    directory: `/plugins/${name}`,
    place: `/plugins/${name}`,
    skills: [skill(`${name}-skill`)],
    mcpServers: {},
    agents: [],
    ...more,
  };
}

/** Returns hooks with one command. */
export function hooks(command: string): NonNullable<ReadPlugin['hooks']> {
  return keptJson<'hooks'>({ pre_tool_use: [{ matcher: '*', hooks: [{ type: 'command', command }] }] });
}

/** Options of {@link testPlugins}. */
export interface TestPluginsOptions {
  /** Plugins by source. */
  readonly sources?: Readonly<Record<string, ReadPlugin>>;
  readonly user?: readonly ReadPlugin[];
  readonly project?: readonly ReadPlugin[];
  readonly skills?: readonly JsonObject[];
  readonly publicSkills?: readonly JsonObject[];
  readonly projectSkills?: readonly JsonObject[];
  readonly offered?: Awaited<ReturnType<ServerPlugins['marketplace']>>;
}

/** An error with a code, as installations reject. */
function refusal(code: string): Error {
  return Object.assign(new Error(`refused by ${code}`), { code });
}

/** Skills and plugins in memory. A source `CODE:…` is refused with this code; any other is installed under its last word. */
export function testPlugins(options: TestPluginsOptions = {}): ServerPlugins {
  const { sources = {}, user = [], project = [], skills = [], publicSkills = [], projectSkills = [] } = options;
  return {
    skills: installedInMemory(),
    plugins: installedInMemory(),
    folders: ['/plugins'],
    load: async ({ source }, mayRead) => {
      const found = sources[source];
      if (!found) throw refusal('FETCH_FAILED');
      if (source.startsWith('/')) await mayRead?.(source);
      return { ...found, commit: null };
    },
    fetch: async ({ source, ref }, { timeout }) => {
      if (!sources[source]) throw refusal(source.includes('gone') ? 'FETCH_FAILED' : 'INVALID');
      return {
        path: `/copies/${timeout}`,
        resolved_ref: ref,
        manifest: { name: 'one' },
        skills: ['a'],
        commands: ['b'],
      };
    },
    ofUser: async () => user,
    ofProject: async () => project,
    skillsFor: async (wanted) => [...(wanted.user ? skills : []), ...(wanted.public ? publicSkills : [])],
    skillsOfProject: async () => projectSkills,
    givenFolder: (path) => /^\/copies\/\w+/.exec(path)?.[0],
    contentsOf: async (directory) =>
      directory.includes('broken') ? undefined : { skills: [{ name: 'inside', description: null }], files: ['a.md'] },
    marketplace: async () => options.offered ?? { skills: [], plugins: [] },
    sync: async () => {
      if (!options.offered) throw refusal('FETCH_FAILED');
    },
  };
}

function installedInMemory(): InstalledExtensions {
  const entries = new Map<string, Installed>();
  const install: InstalledExtensions['install'] = async ({ source, ref, repo_path }, { force }) => {
    const [code = '', rest] = source.split(':');
    if (rest !== undefined) throw refusal(code);
    const name = source.split('/').at(-1) ?? '';
    if (entries.has(name) && !force) throw refusal('EXISTS');
    const about = { version: '1', description: '', installed_at: 'now', install_path: `/installed/${name}` };
    const entry = { name, ...about, enabled: entries.get(name)?.enabled ?? true, source, resolved_ref: ref, repo_path };
    entries.set(name, entry);
    return entry;
  };
  return {
    list: async () => [...entries.values()],
    get: async (name) => entries.get(name),
    install,
    setEnabled: async (name, enabled) => {
      const entry = entries.get(name);
      if (entry) entries.set(name, { ...entry, enabled });
      return entry !== undefined;
    },
    remove: async (name) => entries.delete(name),
    update: async (name) => {
      const entry = entries.get(name);
      return entry && install({ source: entry.source, ref: 'newer', repo_path: null }, { force: true });
    },
  };
}
