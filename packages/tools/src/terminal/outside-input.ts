import { type JsonObject, type Tool, toolWires } from '@conv/core/tool';
import { z } from 'zod';

import { terminalInputSchema, type TerminalInput } from '../requests/terminal-input.ts';

/** The arguments of a terminal whose commands may ask to run outside of its sandbox. */
export const outsideInputSchema = terminalInputSchema.extend({
  outside_sandbox: z
    .string()
    .optional()
    .describe(
      'Why this command must run outside of the sandbox. A person reads it and is always asked. Only for a command that the task needs and that the sandbox has refused. It runs in a process of its own, in the current folder, without the variables of the shell: write their values. It takes no input, and without timeout it is ended when it prints nothing for a while.',
    ),
});

/** The arguments of a terminal, with the reason to leave the sandbox. */
export type OutsideInput = TerminalInput & { readonly outside_sandbox?: string | undefined };

/** The sentence behind the rules of the sandbox. */
export const OUTSIDE_RULE =
  'A command that the task needs and that the sandbox refuses can be run with outside_sandbox, if a person allows it.';

/** The next steps after a refusal of the sandbox. */
export const ASKING =
  'Work within that. If the task needs more, call again with outside_sandbox and the reason, and with values in the place of variables: a person is asked.';

const LONGEST_REASON = 500;

/**
 * Returns the wire with a comment in the place of the argument `outside_sandbox`. Each client shows it with the command that a person approves, and
 * readers of the log need not know the argument. No client shows an argument of a stored action, so such an argument takes no command out of the sandbox.
 */
export function inComment(wire: Tool['wire']): Tool['wire'] {
  return {
    ...wire,
    toAction: (input) => {
      const { outside_sandbox: reason, command, ...rest } = input as JsonObject;
      // some models fill in each argument
      const line = typeof reason === 'string' ? reason.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() : '';
      if (line === '' || typeof command !== 'string')
        return wire.toAction({ ...(input as JsonObject), outside_sandbox: null });
      return wire.toAction({
        ...rest,
        command: `${toolWires.OUTSIDE_SANDBOX}${line.slice(0, LONGEST_REASON)}\n${command}`,
      });
    },
    fromAction: (action) => {
      const { outside_sandbox: _, ...input } = wire.fromAction(action) as JsonObject;
      const { command } = input;
      if (typeof command !== 'string' || !command.startsWith(toolWires.OUTSIDE_SANDBOX)) return input;
      const [line = '', ...lines] = command.split('\n');
      return { ...input, command: lines.join('\n'), outside_sandbox: line.slice(toolWires.OUTSIDE_SANDBOX.length) };
    },
  };
}
