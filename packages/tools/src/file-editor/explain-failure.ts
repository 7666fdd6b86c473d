import { isToolError } from '@conv/core/tool';

import { ChangedMeanwhile } from './files.ts';
import { describeSystemError, Refusal } from './refusal.ts';

/** Returns what the model reads about a failure that concerns a file; `undefined` for any other failure. */
export function explainFailure(path: string, error: unknown): string | undefined {
  // the sandbox refuses a path with an error of its own
  if (error instanceof Refusal || isToolError(error)) return error.message;
  if (error instanceof ChangedMeanwhile)
    return `${path} was changed by another program at this moment. Nothing was changed; view it again first.`;
  return describeSystemError(path, error);
}
