import { resolve } from 'node:path';
import { checks } from '@conv/core';

import { AgentError, type AgentErrorCode } from './agent-error.ts';

/**
 * Returns the absolute path of a folder that a caller named. Throws {@link AgentError} with this code if it is no path.
 */
export function givenFolder(place: string, directory: unknown, code: AgentErrorCode): string {
  if (typeof directory === 'string' && directory !== '') return resolve(directory);
  throw new AgentError(code, checks.wrongValue(place, 'the path of a folder', directory));
}
