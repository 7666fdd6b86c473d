import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { createContext, Script } from 'node:vm';
import type { AgentSession } from '@conv/core';
import ignore from 'ignore';
import { inert } from '../base/inert.ts';
import { ProcessorBudget } from '../base/processor-budget.ts';
import { skillText } from './skill-text.ts';
import type { Skill } from './skill.ts';

/** The prefix of a resource key that names a file. */
const FILE_KEY = 'file:';

/** Milliseconds of processor time that the patterns of one rule may take for one result. */
const LIMIT = 1000;

const WORK = new Script('work()');

/** Rules for the files of one folder. */
export interface PathRules {
  /** Returns the rules for the files among these resources that are not activated yet, in their order. Never throws. */
  touched(
    resources: readonly string[],
    activated: readonly string[],
  ): ReturnType<NonNullable<AgentSession['enrichResult']>>;
}

interface PathRule {
  readonly skill: Skill;
  readonly matches: (path: string) => boolean;
  tooSlow: boolean;
}

/**
 * Returns the rules that files in this folder call for; `undefined` if there are none. Patterns are those of gitignore
 * files, and their case matters. A pattern without a slash inside matches a name at any depth; a pattern for a folder
 * matches all files in it.
 */
export function pathRules(skills: readonly Skill[], folder: string): PathRules | undefined {
  const rules = skills.flatMap((skill) => ruleOf(skill) ?? []);
  if (rules.length === 0) return undefined;
  return {
    touched: (resources, activated) => {
      const open = rules.filter(({ skill }) => !activated.includes(skill.name));
      const paths = open.length === 0 ? [] : pathsIn(folder, resources);
      const called = paths.length === 0 ? [] : matching(open, paths);
      return {
        extendedContent: called.map(({ skill, path }) => added(skill, path)),
        activatedRules: called.map(({ skill }) => skill.name),
      };
    },
  };
}

interface CalledRule {
  readonly skill: Skill;
  readonly path: string;
}

/** Returns the rules that a path calls for. A rule whose patterns take too long is not checked again. */
function matching(rules: readonly PathRule[], paths: readonly string[]): readonly CalledRule[] {
  const called = new Map<PathRule, string>();
  const waiting = rules.filter(({ tooSlow }) => !tooSlow);
  // may be stopped at any point and started again
  const work = (): void => {
    for (let rule = waiting[0]; rule; rule = waiting[0]) {
      const path = paths.find(rule.matches);
      if (path !== undefined) called.set(rule, path);
      waiting.shift();
    }
  };
  const context = createContext({ work });
  while (waiting.length > 0) {
    if (new ProcessorBudget({ each: LIMIT }).run(WORK, context)) continue;
    const slow = waiting.shift();
    if (slow) slow.tooSlow = true;
  }
  return [...called].map(([{ skill }, path]) => ({ skill, path }));
}

function ruleOf(skill: Skill): PathRule | undefined {
  if (skill.trigger?.type !== 'path') return undefined;
  const patterns = ignore({ ignorecase: false }).add(skill.trigger.paths);
  return { skill, matches: (path) => patterns.ignores(path), tooSlow: false };
}

/** Returns the files among the resources that lie in the folder, as relative paths with slashes. */
function pathsIn(folder: string, resources: readonly string[]): readonly string[] {
  const files = resources.filter((key) => key.startsWith(FILE_KEY)).map((key) => key.slice(FILE_KEY.length));
  // a key names the real path of a file, and the folder may be a link
  const roots = [...new Set([resolve(folder), realPathOf(folder)])];
  return files.flatMap((file) => roots.map((root) => relative(root, file)).find(isInside) ?? []).map(withSlashes);
}

function isInside(path: string): boolean {
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function withSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function added(skill: Skill, path: string): string {
  return `This rule comes with the result because it is for files like ${inert(JSON.stringify(path))}. Keep to it when you work with them.\n\n${skillText(skill)}`;
}
