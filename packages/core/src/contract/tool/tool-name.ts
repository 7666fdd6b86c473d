import { ToolError } from '../errors/tool-error.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Throws {@link ToolError} `INVALID_DEFINITION` for a name that a model could not call a tool by. */
export function checkToolName(name: string): void {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw new ToolError(
    'INVALID_DEFINITION',
    `tool name: expected 1 to 64 letters, digits, "_" or "-", such as "read_file", found ${JSON.stringify(name)}`,
  );
}
