import type { Limits } from '../state/limits.ts';
import { checkOptionNames, type OptionNames } from '../settings-input/check-option-names.ts';
import { invalidOption, wrongOption } from '../settings-input/invalid-option.ts';

const TAG_KEY = /^[a-z0-9]+$/;
const MAX_TAG_LENGTH = 256;

/** Maximal characters of a title. */
export const MAX_TITLE_LENGTH = 200;

export const LIMIT_NAMES: OptionNames<Limits> = {
  maxIterations: true,
  maxBudgetPerRun: true,
  maxBudget: true,
  toolTimeout: true,
};

const OTHER_LIMITS = ['maxBudgetPerRun', 'maxBudget', 'toolTimeout'] as const;

/** Returns the tags if they follow the rules of the wire; throws `INVALID_INPUT` that names the wrong tag. */
export function checkTags(tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags))
    throw wrongOption('tags', "an object of texts, such as { team: 'search' }", tags);
  for (const [key, value] of Object.entries(tags)) {
    if (!TAG_KEY.test(key))
      throw invalidOption(
        `tags: expected keys of lower-case letters and digits, such as "team", found ${JSON.stringify(key)}`,
      );
    if (typeof value !== 'string' || value.length > MAX_TAG_LENGTH)
      throw wrongOption(`tags: ${key}`, `a text of at most ${MAX_TAG_LENGTH} characters`, value);
  }
  return { ...tags };
}

/** Returns the title without the blanks around it, if the wire allows its length; throws `INVALID_INPUT`. */
export function checkTitle(title: string): string {
  const trimmed = typeof title === 'string' ? title.trim() : '';
  if (trimmed === '' || trimmed.length > MAX_TITLE_LENGTH)
    throw wrongOption('title', `a text of 1 to ${MAX_TITLE_LENGTH} characters beside blanks`, title);
  return trimmed;
}

/** Returns the limit if it is a positive whole number; throws `INVALID_INPUT`. */
export function checkMaxIterations(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1) return limit;
  throw invalidOption(`maxIterations: expected a positive whole number, found ${JSON.stringify(limit)}`);
}

/** Returns the limits among the given options if they are in their ranges; throws `INVALID_INPUT`. */
export function checkLimits(limits: Partial<Limits>): Partial<Limits> {
  if (typeof limits !== 'object' || limits === null)
    throw wrongOption('limits', 'an object such as { maxIterations: 50 }', limits);
  const checked: { -readonly [Name in keyof Limits]?: Limits[Name] } = {};
  if (limits.maxIterations !== undefined) checked.maxIterations = checkMaxIterations(limits.maxIterations);
  for (const name of OTHER_LIMITS) {
    const value = limits[name];
    if (value === undefined) continue;
    const positive = typeof value === 'number' && value > 0 && Number.isFinite(value);
    if (value !== null && !positive)
      throw invalidOption(`${name}: expected a number above 0 or null, found ${JSON.stringify(value)}`);
    checked[name] = value;
  }
  return checked;
}

/** Checks the names of limits, because a misspelt limit would have no effect. Throws `INVALID_INPUT`. */
export function checkLimitNames(limits: object): void {
  checkOptionNames('limits', limits, LIMIT_NAMES, invalidOption);
}
