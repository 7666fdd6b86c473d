import { spawn } from '@lydell/node-pty';

import { commandOf } from './command.ts';

/** Runs the program in a pseudo-terminal and types what stands behind each text as soon as that is shown. */
export async function inTerminal(
  cwd: string,
  answers: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ said: string; exitCode: number }> {
  const command = commandOf(...args);
  const terminal = spawn(command.file, command.args, { cwd, env: command.env, cols: 100, rows: 30 });
  const open = new Map(Object.entries(answers));
  let said = '';
  terminal.onData((chunk) => {
    said += chunk;
    for (const [text, answer] of open) {
      if (!said.includes(text)) continue;
      open.delete(text);
      terminal.write(answer);
    }
  });
  return new Promise((resolve) => terminal.onExit(({ exitCode }) => resolve({ said, exitCode })));
}
