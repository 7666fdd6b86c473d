import { invalidDefinition } from '../errors/tool-error.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Throws `ToolError` `INVALID_DEFINITION` for a name that a model could not call a tool by. */
export function checkToolName(name: string): void {
  if (typeof name === 'string' && NAME.test(name)) return;
  throw invalidDefinition(
    `tool name: expected 1 to 64 letters, digits, "_" or "-", such as "read_file", found ${JSON.stringify(name)}`,
  );
}

/** The names of the built-in tools that no policy asks about and that end runs. */
const RESERVED: ReadonlySet<unknown> = new Set(['finish', 'think']);

/** True if only a built-in tool may have the name. */
export function isReservedToolName(name: unknown): boolean {
  return RESERVED.has(name);
}

/** Throws `ToolError` `INVALID_DEFINITION` for the name of a built-in tool: no other tool may have it. */
export function checkFreeToolName(name: string): void {
  if (!isReservedToolName(name)) return;
  throw invalidDefinition(
    `tool name ${JSON.stringify(name)} is reserved for the built-in tool; give this tool another name`,
  );
}
