import { hostname, userInfo } from 'node:os';

import { text, type ToolResult } from '@conv/core/tool';

import type { CollectedOutput } from './output-collector.ts';
import type { CommandReport } from './marker-scanner.ts';

export interface ShellFacts {
  readonly command: string;
  readonly workingDirectory: string;
  readonly report?: CommandReport | undefined;
  /** Text before the output, such as a note that the shell is new. */
  readonly prefix?: string;
  /** Text after the output, with the next steps that the model can take. */
  readonly suffix?: string;
  readonly sideDirectory?: string | undefined;
}

/** The next steps that the model can take while a command still runs. */
export const ADVICE: string =
  'Call again with is_input true: an empty command waits for more output, text is typed into the program, ' +
  'C-c interrupts it (also C-d, C-z). Or call with reset true to end the shell and start a new one.';

/** The next steps after a refusal of the sandbox. */
export const ALLOWING: string = 'Work within that, or tell the user what you need: a person can allow more.';

/** Makes the result of a call: the command's output and exit code, which is -1 for a command that still runs. */
export function toResult(
  facts: ShellFacts,
  output: CollectedOutput,
  end: { exitCode: number; timeout?: boolean; isError?: boolean },
): ToolResult {
  const { command, report, prefix = '', suffix = '', sideDirectory } = facts;
  const metadata = {
    exit_code: end.exitCode,
    pid: report?.backgroundPid ?? -1,
    username: userName(),
    hostname: hostname(),
    working_dir: facts.workingDirectory,
    ...(report?.pythonPath ? { py_interpreter_path: report.pythonPath } : {}),
    prefix,
    suffix,
  };
  return {
    content: text(output.text.replace(/\n+$/, '')),
    isError: end.isError ?? false,
    fields: {
      command,
      exit_code: end.exitCode,
      timeout: end.timeout ?? false,
      metadata,
      ...(output.fullOutputPath && sideDirectory ? { full_output_save_dir: sideDirectory } : {}),
    },
  };
}

/** Makes the result of a call that was refused or failed. */
export function toRefusal(facts: ShellFacts, message: string): ToolResult {
  return toResult(facts, { text: message }, { exitCode: -1, isError: true });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // a user id without an entry in the password file, as in many containers
    return String(process.getuid?.() ?? '');
  }
}
