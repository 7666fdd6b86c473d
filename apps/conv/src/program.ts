import type { Environment } from '@conv/agent';
import type { Command } from 'commander';

import type { ExitCode } from './exit-code.ts';

/** A program that offers the commands: `conv`, or another one with commands of its own beside them. */
export interface Program {
  /** The words that start it, for hints such as `conv resume ID`. */
  readonly invocation: string;
  /** The address of the store when no other place is named. */
  readonly defaultStore: string;
  /** Answers when no model is configured. Default: commands that need a model fail, and say what to set. */
  readonly standIn?: StandIn;
  /** Adds commands and options. `ended` receives the exit code of an action. */
  readonly extend?: (commandLine: Command, ended: (exitCode: ExitCode) => void) => void;
}

/** A scripted model in place of a configured one. */
export interface StandIn {
  /** The name under which conversations store it, such as `openai/scripted-model`. */
  readonly model: string;
  /** Starts it. Resolves when it answers. */
  readonly start: () => Promise<StartedStandIn>;
}

/** A scripted model that answers until it is disposed of. */
export interface StartedStandIn extends AsyncDisposable {
  /** The variables under which the model is found: `LLM_MODEL`, `LLM_BASE_URL`. */
  readonly environment: Environment;
  /** A line for the person who started the program. */
  readonly note: string;
}
