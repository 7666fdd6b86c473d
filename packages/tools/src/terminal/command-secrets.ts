import { SECRET_MASK, type ToolSecrets } from '@conv/core';

/** The secrets that a command gets because it names them, and notes for the model about the others. */
export interface CommandSecrets {
  readonly environment: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
// the code between two commands uses these variables
const OF_THE_SHELL = /^(?:__conv_.*|_|IFS|TMOUT|PWD|PROMPT_COMMAND|PS[0-4]|BASH.*|SHELLOPTS)$/;
// the maximum of Linux for `NAME=value` with its NUL; https://man7.org/linux/man-pages/man2/execve.2.html
const LONGEST_VARIABLE = 131_072;

/** Resolves the values for a command. Rejects with the signal's reason when aborted. */
export async function secretsFor(
  command: string,
  secrets: ToolSecrets | undefined,
  signal: AbortSignal,
): Promise<CommandSecrets> {
  if (!secrets) return { environment: {}, notes: [] };
  const named = await secrets.environmentFor(command, signal);
  const environment: Record<string, string> = {};
  const notes = named.missing.map(({ name, reason }) => noteOf(name, reason));
  for (const [name, value] of Object.entries(named.environment)) {
    const reason = whyUnusable(name, value);
    if (reason === undefined) environment[name] = value;
    else notes.push(noteOf(name, reason));
  }
  if (secrets.masker.version > 0 && command.includes(SECRET_MASK))
    notes.push(
      `The command holds ${SECRET_MASK}, which only replaces a hidden value. Write $ and the name of the secret instead.`,
    );
  return { environment, notes };
}

/** Returns the note about a variable that the shell did not allow to be set. */
export function noteOfRefused(name: string): string {
  return noteOf(name, 'the shell has a readonly variable of this name');
}

function noteOf(name: string, reason: string): string {
  return `The secret ${name} has no value here: ${reason.replace(/\.$/, '')}.`;
}

function whyUnusable(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'no variable can have this name';
  if (OF_THE_SHELL.test(name)) return 'the shell uses the variable of this name itself';
  if (value.includes('\0')) return 'it holds a NUL character, which no variable can hold';
  if (name.length + Buffer.byteLength(value) + 2 > LONGEST_VARIABLE) return 'it is too long for a variable';
  return undefined;
}
