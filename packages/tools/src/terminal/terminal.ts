import { checkOptionNames, type OptionNames } from '@conv/core';
import { defineTool, nativeWire, ToolError, type Tool, type ToolFactory, type ToolSession } from '@conv/core/tool';

import { terminalDescription, terminalInputSchema } from './terminal-input.ts';
import { TerminalSession } from './terminal-session.ts';

/** Options of the terminal. */
export interface TerminalOptions {
  /** Path of the bash to run. Default: the first in `PATH`. */
  readonly shell?: string;
  /** Seconds without new output after which a call returns while its command runs on. Default 30. */
  readonly noOutputTimeout?: number;
  /** Seconds after which a call returns whatever the command prints, also when the model asks for more. Default 3600. */
  readonly maxTimeout?: number;
  /**
   * Names of this process's environment variables that the shell gets, and no others. Default: all but those that look like
   * credentials: by a word in the name such as KEY, TOKEN, SECRET, PASSWORD or AUTH, by `AWS_`, or by a value that is a private
   * key or a URL with a password, proxies excepted.
   */
  readonly environment?: readonly string[];
}

const NAMES: OptionNames<TerminalOptions> = {
  shell: true,
  noOutputTimeout: true,
  maxTimeout: true,
  environment: true,
};

/**
 * A bash in a pseudo-terminal for each conversation, with the wire kinds TerminalTool, TerminalAction and
 * TerminalObservation. The shell starts at the first call and is killed with all it runs when the tool is closed or this
 * process ends. Linux and macOS; elsewhere `create` throws `ToolError` `UNSUPPORTED`.
 *
 * A command that was interrupted through the call's signal is dead within 100 ms, with everything that it started.
 * A command that is still running when its call returns has exit code -1 and goes on; a new command is refused as an
 * error until it has ended. Text above 27,000 characters goes to a file in `sideDirectory`, start and end stay.
 *
 * A command gets the secrets that it names as environment variables, on no disk and for itself alone: when it has ended the
 * shell has what it had before. Typed input gets none. Output is masked before it is cut or stored (P9).
 */
export function terminal(options: TerminalOptions = {}): ToolFactory {
  checkOptionNames('terminal', options, NAMES);
  return { name: 'terminal', params: { ...options }, create: (session) => createTerminal(session, options) };
}

function createTerminal(session: ToolSession, options: TerminalOptions): Tool {
  if (process.platform === 'win32')
    throw new ToolError('UNSUPPORTED', 'The terminal needs bash in a pseudo-terminal, which Windows does not have.');
  const shell = new TerminalSession(session, options);
  return defineTool({
    name: 'terminal',
    description: terminalDescription,
    input: terminalInputSchema,
    annotations: { title: 'terminal', readOnly: false, destructive: true, idempotent: false, openWorld: true },
    resources: () => [`terminal:${session.conversationId}`],
    wire: (tool) =>
      nativeWire(tool, { definition: 'TerminalTool', action: 'TerminalAction', observation: 'TerminalObservation' }),
    execute: (input, context) => shell.execute(input, context),
    close: () => shell.close(),
  });
}
