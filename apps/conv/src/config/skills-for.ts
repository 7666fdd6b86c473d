import { loadProjectSkills, loadSkills, type Skill } from '@conv/agent';

/**
 * The skills of these folders, and those of a project that have other names: `AGENTS.md` and its skill folders. `undefined`
 * when there is nowhere to look. Rejects `AgentError` as they do.
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
