import { realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AgentError, isAgentError } from '../base/agent-error.ts';
import { givenFolder } from '../base/given-folder.ts';
import { MAX_SKILL_SIZE } from './check-skills.ts';
import { invalidSkill, namesIn, readText } from './markdown-folder.ts';
import { parseSkill } from './parse-skill.ts';
import { instructionsOf, SKILL_FOLDERS } from './load-skills.ts';
import { projectRoot } from './project-root.ts';
import type { Skill } from './skill.ts';

/** Skills of files that others wrote. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  /** The reasons why files were left out, each with its path. */
  readonly problems: readonly string[];
}

/** The name of the file that makes a folder a skill, in lower case. */
const SKILL_FILE = 'skill.md';

/**
 * Reads the skill in a folder: its `SKILL.md`, in any case. The folder's name is that of the skill, unless the file has another one. A missing
 * description is allowed, and a long one is cut.
 *
 * Rejects {@link AgentError} `INVALID_SKILL` with the file and the field: for a folder without such a file, a file that cannot be read or has
 * more than 64 KiB, a link that leads out of the folder, and front matter that is no YAML or has an impossible value.
 */
export async function loadSkill(directory: string): Promise<Skill> {
  const folder = givenFolder('loadSkill', directory, 'INVALID_SKILL');
  const skill = await skillIn(folder, folder);
  if (skill === undefined)
    throw new AgentError('INVALID_SKILL', `skill ${folder}: expected a file SKILL.md, found none; add it`);
  return skill;
}

/**
 * Reads a folder of skills as {@link loadSkills} does, but leaves out files that cannot be read or parsed, and of two skills with one name the
 * second. Resolves with the skills in the order of the names of their files, and the problems; both empty if there is no such folder. Rejects
 * {@link AgentError} `INVALID_SKILL` for a folder that cannot be listed.
 */
export async function findSkills(directory: string): Promise<FoundSkills> {
  const folder = givenFolder('findSkills', directory, 'INVALID_SKILL');
  return skillsWithin(folder, undefined);
}

/**
 * Reads the instructions and skills of a project as {@link loadProjectSkills} does, but leaves out what cannot be read or parsed. Links that lead
 * out of the project and of its repository are problems, too.
 */
export async function findProjectSkills(directory: string): Promise<FoundSkills> {
  const project = givenFolder('findProjectSkills', directory, 'INVALID_SKILL');
  const root = await projectRoot(project);
  const problems: string[] = [];
  const skills = new Map<string, Skill>();
  const take = (found: FoundSkills): void => {
    problems.push(...found.problems);
    for (const skill of found.skills) if (!skills.has(skill.name)) skills.set(skill.name, skill);
  };
  take(await leniently(async () => ({ skills: await instructionsOf(project, root), problems: [] })));
  for (const folder of SKILL_FOLDERS) take(await leniently(() => skillsWithin(join(project, folder), root)));
  return { skills: [...skills.values()].filter(({ content }) => content !== ''), problems };
}

async function leniently(work: () => Promise<FoundSkills>): Promise<FoundSkills> {
  try {
    return await work();
  } catch (error) {
    if (!isAgentError(error)) throw error;
    return { skills: [], problems: [error.text] };
  }
}

/**
 * Does the work of {@link findSkills}.
 * @param root the folder that files must lie in, also through links. Default: any place.
 */
export async function skillsWithin(folder: string, root: string | undefined): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const problems: string[] = [];
  for (const name of (await namesIn(folder, invalidSkill)) ?? []) {
    try {
      const skill = await skillAt(join(folder, name), root);
      if (skill === undefined) continue;
      const other = skills.get(skill.name);
      if (other === undefined) skills.set(skill.name, skill);
      else problems.push(`skill ${skill.source}: ${other.source} has the same name ${JSON.stringify(skill.name)}`);
    } catch (error) {
      if (!isAgentError(error)) throw error;
      problems.push(error.text);
    }
  }
  return { skills: [...skills.values()], problems };
}

/** Resolves with the skill that an entry of a folder is; `undefined` for other files and folders. */
async function skillAt(path: string, root: string | undefined): Promise<Skill | undefined> {
  const name = basename(path);
  const found = await stat(path).catch((error: unknown) => {
    throw invalidSkill(path, 'cannot be read', error);
  });
  if (found.isDirectory()) return skillIn(path, root);
  if (!found.isFile() || !/\.md$/i.test(name) || name.toLowerCase() === 'readme.md') return undefined;
  return parsed(path, { name: name.slice(0, -'.md'.length), listed: false, root });
}

/** Resolves with the skill of a folder with a `SKILL.md`; `undefined` without one. */
export async function skillIn(folder: string, root: string | undefined): Promise<Skill | undefined> {
  const names = (await namesIn(folder, invalidSkill)) ?? [];
  const file = names.find((name) => name.toLowerCase() === SKILL_FILE);
  return file === undefined ? undefined : parsed(join(folder, file), { name: basename(folder), listed: true, root });
}

interface ParsedFrom {
  readonly name: string;
  readonly listed: boolean;
  readonly root: string | undefined;
}

async function parsed(path: string, { name, listed, root }: ParsedFrom): Promise<Skill> {
  const real = root === undefined ? undefined : await realpath(root).catch(() => root);
  const text = await readText(path, MAX_SKILL_SIZE, invalidSkill, { field: 'content: ', root: real });
  return parseSkill(text.trim(), { path, name, listed, lenient: true });
}
