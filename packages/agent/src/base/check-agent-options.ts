import { checkOptionNames } from '@conv/core';
import { AgentError } from './agent-error.ts';

/** Checks the names in options. Throws {@link AgentError} `INVALID_OPTION` with the nearest known name. */
export function checkAgentOptions(place: string, options: unknown, names: Readonly<Record<string, true>>): void {
  checkOptionNames(place, options, names, (message) => new AgentError('INVALID_OPTION', message));
}
