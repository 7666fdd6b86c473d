import { checkOptionNames, type OptionNames } from '@conv/core';
import type { Allowance } from './allowances.ts';
import { StuckError } from './stuck-error.ts';
import type { StuckPattern } from './stuck-pattern.ts';

/** The thresholds from which patterns count. Whole numbers from 1; `Infinity` leaves the pattern out. */
export interface StuckThresholds {
  /** `repeat`: the same call with the same result, in a row. Default 4. */
  readonly actionObservation: number;
  /** `error`: failures of the same call with the same error, in a row; twice as many when the errors differ. Default 3. */
  readonly actionError: number;
  /** `monologue`: messages of the agent, in a row. Default 3. */
  readonly monologue: number;
  /** `alternating`: calls in a row of which each equals the last but one. Default 6, three of each. */
  readonly alternatingPattern: number;
  /** `cycle`: times round, for cycles of three calls and more. At least 2, default 3. */
  readonly cycle: number;
  /** `context-window`: condensations with nothing new in between. Default 3. */
  readonly contextWindow: number;
}

/** The thresholds that hold unless others are given. */
export const DEFAULT_THRESHOLDS: StuckThresholds = Object.freeze({
  actionObservation: 4,
  actionError: 3,
  monologue: 3,
  alternatingPattern: 6,
  cycle: 3,
  contextWindow: 3,
});

/** Options of a detector. */
export interface StuckDetectorOptions {
  /** Thresholds of patterns, over {@link DEFAULT_THRESHOLDS}. */
  readonly thresholds?: Partial<StuckThresholds>;
  /** Calls in the longest cycle that is found, from 3 to 50. Time and memory grow with it. Default 12. */
  readonly maxCycleLength?: number;
  /**
   * The number of other calls after which a warning is forgotten, so that the pattern leads to a warning again instead
   * of a stop. Calls of the pattern itself do not count. Default 5.
   */
  readonly forgetAfter?: number;
  /**
   * Allowances by the names of tools. Default: `terminal` has 10 for a call that waits, with an empty command or
   * `sleep`. An allowance for a tool replaces its default.
   */
  readonly allowances?: Readonly<Record<string, Allowance>>;
  /** The caller's own patterns, checked after the others. */
  readonly extraPatterns?: readonly StuckPattern[];
}

/** Options that were checked, without gaps. */
export interface CheckedOptions {
  readonly thresholds: StuckThresholds;
  readonly maxCycleLength: number;
  readonly forgetAfter: number;
  readonly allowances: Readonly<Record<string, Allowance>>;
  readonly extraPatterns: readonly StuckPattern[];
}

const NAMES: OptionNames<StuckDetectorOptions> = {
  thresholds: true,
  maxCycleLength: true,
  forgetAfter: true,
  allowances: true,
  extraPatterns: true,
};

const THRESHOLDS: OptionNames<StuckThresholds> = {
  actionObservation: true,
  actionError: true,
  monologue: true,
  alternatingPattern: true,
  cycle: true,
  contextWindow: true,
};

/**
 * The options with their defaults.
 * @throws StuckError `INVALID_OPTION`, naming the first that is unknown or out of its range.
 */
export function checkOptions(options: StuckDetectorOptions): CheckedOptions {
  checkOptionNames('createStuckDetector', options, NAMES, invalidName);
  const { thresholds, maxCycleLength = 12, forgetAfter = 5, allowances = {}, extraPatterns = [] } = options;
  if (!isWhole(maxCycleLength, 3) || maxCycleLength > 50)
    throw invalid('maxCycleLength', `a whole number from 3 to 50, found ${shown(maxCycleLength)}`);
  if (!isWhole(forgetAfter, 1) && forgetAfter !== Infinity)
    throw invalid('forgetAfter', `a whole number from 1 or Infinity, found ${shown(forgetAfter)}`);
  checkAllowances(objectOf('allowances', allowances));
  checkPatterns(extraPatterns);
  return { thresholds: checkThresholds(thresholds), maxCycleLength, forgetAfter, allowances, extraPatterns };
}

function checkThresholds(thresholds: Partial<StuckThresholds> = {}): StuckThresholds {
  checkOptionNames('createStuckDetector: thresholds', thresholds, THRESHOLDS, invalidName);
  for (const [name, value] of Object.entries(thresholds)) {
    const least = name === 'cycle' ? 2 : 1;
    if (!isWhole(value, least) && value !== Infinity && value !== undefined)
      throw invalid(`thresholds.${name}`, `a whole number from ${least} or Infinity, found ${shown(value)}`);
  }
  const set = Object.entries(thresholds).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_THRESHOLDS, ...Object.fromEntries(set) };
}

function checkAllowances(allowances: object): void {
  for (const [tool, value] of Object.entries(allowances)) {
    if (typeof value !== 'function' && !isWhole(value, 0) && value !== Infinity)
      throw invalid(`allowances.${tool}`, `a whole number from 0, Infinity or a function, found ${shown(value)}`);
  }
}

function checkPatterns(patterns: readonly StuckPattern[]): void {
  if (!Array.isArray(patterns)) throw invalid('extraPatterns', 'a list of patterns');
  for (const [index, pattern] of patterns.entries()) {
    const { name, apply, find } = objectOf(`extraPatterns[${index}]`, pattern);
    if (typeof name !== 'string' || name === '')
      throw invalid(`extraPatterns[${index}].name`, 'a text that is not empty');
    if (typeof apply !== 'function' || typeof find !== 'function')
      throw invalid(`extraPatterns[${index}]`, `apply and find as functions of "${name}", found one or none`);
  }
}

function objectOf(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name, 'an object');
  return value as Readonly<Record<string, unknown>>;
}

function isWhole(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
}

function invalidName(message: string): StuckError {
  return new StuckError('INVALID_OPTION', message);
}

/** Makes an error that names an option and its valid values. */
export function invalid(name: string, wanted: string): StuckError {
  return new StuckError('INVALID_OPTION', `${name}: expected ${wanted}`);
}
