import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import {
  toolWires,
  defineTool,
  ToolError,
  type Confinement,
  type Sandbox,
  type Tool,
  type ToolFactory,
  type ToolSession,
} from '@conv/core/tool';

import { checkElsewhere, checkSandbox } from '../check-sandbox.ts';
import { ExecutedTerminal } from './executed-terminal.ts';
import { inComment, OUTSIDE_RULE, outsideInputSchema } from './outside-input.ts';
import { terminalDescription, terminalInputSchema } from '../requests/terminal-input.ts';
import { TerminalSession, type TerminalSessionOptions } from './terminal-session.ts';

/** Options of the terminal. */
export interface TerminalOptions {
  /** Path of the bash to run. Default: the first in `PATH`. */
  readonly shell?: string;
  /** Seconds without new output after which a call returns while its command runs on. Default 30. */
  readonly noOutputTimeout?: number;
  /** Seconds after which a call returns regardless of output, also if the model asks for more. Default 3600. */
  readonly maxTimeout?: number;
  /**
   * Names of the environment variables of this process that the shell gets, and no others. Default: all, except
   * variables that look like credentials. A variable looks like a credential by a word in its name such as KEY, TOKEN,
   * SECRET, PASSWORD or AUTH, by `AWS_`, or by a value that is a private key or a URL with a password, proxies
   * excepted.
   */
  readonly environment?: readonly string[];
  /**
   * The sandbox in which the shell and all that it starts run, such as `sandbox()` of `@conv/sandbox`. Default: none, so that commands
   * reach all that the user of this process reaches.
   */
  readonly sandbox?: Sandbox;
  /**
   * `ask`: a command may ask to run once outside of the sandbox, with the argument `outside_sandbox` that says why. Such a call waits for a
   * person under every policy. The command runs in a process of its own, in the folder of the shell. Without a sandbox there is no such argument.
   * Default `never`.
   */
  readonly outside?: 'ask' | 'never';
  /**
   * Clocks, timers and ids, for the time limits of calls and the names of files. On macOS its wall clock must be the system's, by
   * which the system tells when processes started. Default: the platform of the host.
   */
  readonly platform?: Platform;
}

const NAMES: OptionNames<TerminalOptions> = {
  shell: true,
  noOutputTimeout: true,
  maxTimeout: true,
  environment: true,
  sandbox: true,
  outside: true,
  platform: true,
};

/**
 * Creates a tool with a bash in a pseudo-terminal for each conversation, with the wire kinds TerminalTool,
 * TerminalAction and TerminalObservation. The shell starts at the first call and is killed with all its processes when
 * the tool is closed or this process ends. Linux and macOS; elsewhere `create` throws `ToolError` `UNSUPPORTED`.
 *
 * A command that was interrupted through the call's signal is dead within 100 ms, with all processes that it started. If the shell
 * does not respond within a second after that, it is killed, too. A command that still runs when its call returns has exit code -1
 * and continues. Until it ends, a new command is refused with an error. Text above 27,000 characters goes to a file in
 * `sideDirectory`, start and end stay.
 *
 * A command gets the secrets that it names as environment variables, on no disk and only for itself: after its end the
 * shell has the variables that it had before. Typed input gets no secrets. Output is masked before it is cut, stored
 * or shown while the command runs (P9).
 *
 * In a sandbox the rules for commands are part of the description that the model reads. The conversation does not start without
 * the sandbox: `create` rejects `ToolError` `UNSUPPORTED` where this machine does not have it.
 *
 * In a conversation with an executor the shell is there. The options `shell` and `environment` are then the executor's own, and an
 * option `sandbox` is refused by `create` with `UNSUPPORTED`.
 */
export function terminal(options: TerminalOptions = {}): ToolFactory {
  checkOptionNames('terminal', options, NAMES);
  const { platform = systemPlatform, sandbox, outside = 'never', ...params } = options;
  checkSandbox('terminal', sandbox);
  if (outside !== 'ask' && outside !== 'never')
    throw new TypeError(checks.wrongValue('terminal: outside', "'ask' or 'never'", outside));
  const create = async (session: ToolSession): Promise<Tool> => {
    const { executor } = session;
    checkElsewhere('terminal', sandbox, executor);
    if (executor) return toolOf(session, new ExecutedTerminal(session, executor, limitsOf(params)));
    const confinement = await sandbox?.open(session);
    return createTerminal(session, {
      ...params,
      platform,
      confinement,
      mayLeave: confinement !== undefined && outside === 'ask',
    });
  };
  return { name: 'terminal', params, create };
}

function limitsOf({
  noOutputTimeout,
  maxTimeout,
}: TerminalOptions): Pick<TerminalOptions, 'noOutputTimeout' | 'maxTimeout'> {
  return {
    ...(noOutputTimeout === undefined ? {} : { noOutputTimeout }),
    ...(maxTimeout === undefined ? {} : { maxTimeout }),
  };
}

function createTerminal(session: ToolSession, options: TerminalSessionOptions): Tool {
  if (process.platform === 'win32')
    throw new ToolError('UNSUPPORTED', 'The terminal needs bash in a pseudo-terminal, which Windows does not have.');
  return toolOf(session, new TerminalSession(session, options), options);
}

const WIRE = { definition: 'TerminalTool', action: 'TerminalAction', observation: 'TerminalObservation' };

function describedWith(confinement: Confinement | undefined, mayLeave: boolean): string {
  if (!confinement) return terminalDescription;
  return `${terminalDescription}\n\n${confinement.rules}${mayLeave ? ` ${OUTSIDE_RULE}` : ''}`;
}

function toolOf(
  session: ToolSession,
  shell: Pick<TerminalSession, 'execute' | 'close'>,
  { confinement, mayLeave = false }: Pick<TerminalSessionOptions, 'confinement' | 'mayLeave'> = {},
): Tool {
  return defineTool({
    name: 'terminal',
    description: describedWith(confinement, mayLeave),
    input: mayLeave ? outsideInputSchema : terminalInputSchema,
    annotations: { title: 'terminal', readOnly: false, destructive: true, idempotent: false, openWorld: true },
    resources: () => [`terminal:${session.conversationId}`],
    wire: (tool) => {
      const wire = toolWires.native(tool, WIRE);
      return mayLeave ? inComment(wire) : wire;
    },
    execute: (input, context) => shell.execute(input, context),
    close: () => shell.close(),
  });
}
