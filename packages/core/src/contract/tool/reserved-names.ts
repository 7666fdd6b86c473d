import { ToolError } from '../errors/tool-error.ts';

/** The names of the built-in tools that no policy asks about and that end runs. */
const RESERVED: ReadonlySet<unknown> = new Set(['finish', 'think']);

/** True if only a built-in tool may have the name. */
export function isReservedToolName(name: unknown): boolean {
  return RESERVED.has(name);
}

/** Throws {@link ToolError} `INVALID_DEFINITION` for the name of a built-in tool: no other tool may have it. */
export function checkFreeToolName(name: string): void {
  if (!isReservedToolName(name)) return;
  throw new ToolError(
    'INVALID_DEFINITION',
    `tool name ${JSON.stringify(name)} is reserved for the built-in tool; give this tool another name`,
  );
}
