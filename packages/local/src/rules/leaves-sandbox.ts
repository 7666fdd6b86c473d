import type { ActionEvent } from '@conv/core/events';
import { toolWires } from '@conv/core/tool';

/**
 * True if a call asks to run outside of the sandbox of its conversation. It waits for a person under every policy, also where the terminal does
 * not allow that. The event alone tells, because policies decide where no tool is there: in a resumed run, in another process.
 */
export function leavesSandbox({ action }: Pick<ActionEvent, 'action'>): boolean {
  const command: unknown = action && 'command' in action ? action.command : undefined;
  return typeof command === 'string' && command.trimStart().startsWith(toolWires.OUTSIDE_SANDBOX.trim());
}
