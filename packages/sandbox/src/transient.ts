import { errorText } from '@conv/core';
import { ToolError } from '@conv/core/tool';

/** Codes of a machine that cannot tell now, as when a table of open files is full. They say nothing about a file or a process. */
const TRANSIENT: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** True for an error after which a file or a process must be looked at again. */
export function isTransient(error: unknown): boolean {
  return error instanceof Error && 'code' in error && TRANSIENT.has(error.code);
}

/** Makes the error of a start that needs a look at a path which this machine cannot take now. */
export function notChecked(path: string, cause: unknown): ToolError {
  const text = `The sandbox started nothing, because this process cannot look at ${path} now: ${errorText(cause)}. Try again.`;
  return new ToolError('FAILED', text, { cause });
}
