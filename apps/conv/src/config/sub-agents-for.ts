import { type AgentDefinition, loadAgentDefinitions, loadProjectAgentDefinitions } from '@conv/agent';

/** The sub-agents of these folders, and those of a project that have other names. Rejects `AgentError` as they do. */
export async function subAgentsFor(
  folders: readonly string[],
  project: string | undefined,
): Promise<readonly AgentDefinition[]> {
  const given = (await Promise.all(folders.map((folder) => loadAgentDefinitions(folder)))).flat();
  const found = project === undefined ? [] : await loadProjectAgentDefinitions(project, { home: null });
  return [...given, ...found];
}
