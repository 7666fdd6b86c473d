import { givenFolder } from '../base/given-folder.ts';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AgentError } from '../base/agent-error.ts';
import { MAX_SKILL_SIZE } from './check-skills.ts';
import { parseSkill, type SkillFile } from './parse-skill.ts';
import { projectRoot } from './project-root.ts';
import type { Skill } from './skill.ts';
import { invalidSkill, isAbsent, namesIn, readText } from './markdown-folder.ts';

/** Folders of a project that hold skills; of two skills with one name the one in the earlier folder is taken. */
export const SKILL_FOLDERS: readonly string[] = ['.agents/skills', '.openhands/skills', '.openhands/microagents'];

/** Files of a project that say how to work in it, in lower case. */
const INSTRUCTION_FILES = ['agents.md', '.cursorrules'];

/**
 * Reads a folder of skills, in the order of the names in it: each Markdown file except `README.md` is a skill, and each
 * folder with a `SKILL.md` is a listed skill. Other folders are not read. A file's front matter may have `name`,
 * `description`, `triggers`, `paths`, `inputs`, `version` and `license`; other members of it are ignored.
 *
 * Rejects {@link AgentError} `INVALID_SKILL` with the file and the field: for a folder or file that cannot be read, a file
 * above 64 KiB, front matter that is no YAML or has an impossible value, a skill without text, a listed skill without
 * description; and `DUPLICATE_SKILL` for two skills with the same name.
 *
 * @example
 * ```ts
 * import { createAgent, loadSkills, modelFromEnvironment } from '@conv/agent';
 *
 * export const agent = async () =>
 *   createAgent({ model: modelFromEnvironment(), skills: await loadSkills('/srv/skills') });
 * ```
 */
export async function loadSkills(directory: string): Promise<readonly Skill[]> {
  const folder = givenFolder('loadSkills', directory, 'INVALID_SKILL');
  const names = await namesIn(folder, invalidSkill);
  if (names === undefined)
    throw new AgentError(
      'INVALID_SKILL',
      `skill folder ${folder}: there is no such folder; create it, or name another`,
    );
  return skillsIn(folder, names);
}

/**
 * Reads the instructions and skills of a project: `AGENTS.md` and `.cursorrules` as instructions that always hold, and the
 * skills of `.agents/skills`, `.openhands/skills` and `.openhands/microagents`, as {@link loadSkills} does. Missing files
 * and folders are ignored; of two skills with the same name the first is taken. Skills speak to the agent as its user
 * does: load only projects that you trust. Rejects as {@link loadSkills} does, and `INVALID_SKILL` for a link that leads out
 * of the project and of its repository.
 */
export async function loadProjectSkills(directory: string): Promise<readonly Skill[]> {
  const project = givenFolder('loadProjectSkills', directory, 'INVALID_SKILL');
  const found = new Map<string, Skill>();
  const take = (skill: Skill): void => {
    if (!found.has(skill.name)) found.set(skill.name, skill);
  };
  const root = await projectRoot(project);
  for (const skill of await instructionsOf(project, root)) take(skill);
  for (const folder of SKILL_FOLDERS.map((path) => join(project, path))) {
    const entries = await namesIn(folder, invalidSkill);
    if (entries !== undefined) for (const skill of await skillsIn(folder, entries, root)) take(skill);
  }
  return [...found.values()].filter(({ content }) => content !== '');
}

/** Reads the instructions of a project, which must lie in `root`. Rejects as {@link loadProjectSkills} does. */
export async function instructionsOf(project: string, root: string): Promise<readonly Skill[]> {
  const names = (await namesIn(project, invalidSkill)) ?? [];
  const found: Skill[] = [];
  for (const name of names.filter((entry) => INSTRUCTION_FILES.includes(entry.toLowerCase()))) {
    const path = join(project, name);
    if (await isFile(path)) found.push({ name, content: await readSkill(path, root), source: path });
  }
  return found;
}

async function skillsIn(folder: string, names: readonly string[], root?: string): Promise<readonly Skill[]> {
  const found = new Map<string, Skill>();
  for (const name of names) {
    const file = await skillFile(join(folder, name));
    if (file === undefined) continue;
    const skill = await parseSkill(await readSkill(file.path, root), file);
    const other = found.get(skill.name);
    if (other !== undefined) {
      const where = `${other.source} and ${file.path}`;
      throw new AgentError(
        'DUPLICATE_SKILL',
        `skill ${JSON.stringify(skill.name)} is in both ${where}; rename one of them`,
      );
    }
    found.set(skill.name, skill);
  }
  return [...found.values()];
}

/** The skill file that an entry of a folder is or holds. */
async function skillFile(path: string): Promise<SkillFile | undefined> {
  const name = basename(path);
  const inFolder = join(path, 'SKILL.md');
  if (await isFile(inFolder)) return { path: inFolder, name, listed: true };
  if (!/\.md$/i.test(name) || name.toLowerCase() === 'readme.md' || !(await isFile(path))) return undefined;
  return { path, name: name.slice(0, -'.md'.length), listed: false };
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw invalidSkill(path, 'cannot be read', error);
  }
}

/** `root`: the folder that the file must lie in. Default: any place. */
async function readSkill(path: string, root?: string): Promise<string> {
  return (await readText(path, MAX_SKILL_SIZE, invalidSkill, { field: 'content: ', root })).trim();
}
