import { loadProjectSkills, loadSkills, type Skill } from '@conv/agent';

/**
 * Resolves with the skills of these folders, followed by skills of a project with other names, from `AGENTS.md` and its skill
 * folders. Resolves with `undefined` if there is no folder to read. Rejects `AgentError` as they do.
 */
export async function skillsFor(
  folders: readonly string[] | undefined,
  project: string | undefined,
): Promise<readonly Skill[] | undefined> {
  if (folders === undefined && project === undefined) return undefined;
  const given = (await Promise.all((folders ?? []).map((folder) => loadSkills(folder)))).flat();
  const names = new Set(given.map(({ name }) => name));
  const found = project === undefined ? [] : await loadProjectSkills(project);
  return [...found.filter(({ name }) => !names.has(name)), ...given];
}
