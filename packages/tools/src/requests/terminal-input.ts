import { z } from 'zod';

/** The description that the model reads. */
export const terminalDescription = `Runs commands in a bash shell that lasts for the whole conversation: working folder, variables and background programs carry over from call to call. Do not run programs that take over the screen.

- A command that prints nothing for a while, or reaches \`timeout\`, keeps running; the call returns with exit code -1. Then call again with \`is_input\` true: an empty \`command\` waits for more output, a text is typed into the program, and C-c, C-d, C-z, ESC, TAB, UP, DOWN are sent as keys.
- While a command runs, no other can be started; stop it with C-c, or start the shell anew with \`reset\`.
- Start servers and other long work in the background: \`command > log.txt 2>&1 &\`.
- The middle of very long output is left out; the result names a file with all of it.`;

export const terminalInputSchema = z.object({
  command: z
    .string()
    .describe('The bash command; may span lines. With is_input: what to type. Empty: wait for more output.'),
  is_input: z.boolean().default(false).describe('Whether command is input for the program that is running.'),
  timeout: z
    .number()
    .min(0)
    .optional()
    .describe('Seconds after which the call returns although the command still runs, even while it prints.'),
  reset: z
    .boolean()
    .default(false)
    .describe('End the shell and all it runs, start a new one, then run command if given.'),
});

/** The arguments of the terminal, as its action has them. */
export type TerminalInput = Readonly<z.infer<typeof terminalInputSchema>>;
