import type { ShellCommand } from './shell-commands.ts';

/** A script in one of its readings. */
export interface Script {
  readonly text: string;
  readonly commands: readonly ShellCommand[];
}

/** Something that makes an action risky. */
export interface Rule {
  /** What it is found by: short, lower case, stable. */
  readonly id: string;
  readonly risk: 'MEDIUM' | 'HIGH';
  /** For the person who is asked: what the action does, as a sentence. */
  readonly reason: string;
  /** Linear in the script's length. */
  readonly matches: (script: Script) => boolean;
}

/** A rule about single commands. */
export function commandRule(
  id: string,
  risk: Rule['risk'],
  reason: string,
  test: (command: ShellCommand) => boolean,
): Rule {
  return { id, risk, reason, matches: ({ commands }) => commands.some(test) };
}

/** A rule about the text, in whatever language. The pattern must be linear. */
export function textRule(id: string, risk: Rule['risk'], reason: string, pattern: RegExp): Rule {
  return { id, risk, reason, matches: ({ text }) => pattern.test(text) };
}

/** The words of a text as a set. */
export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
