import { checkOptionNames, type Agent, type JsonObject, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { Sandbox } from '@conv/core/tool';
import { descriptionSecrets } from '@conv/openhands/descriptions';

import { AcpAgentError } from './acp-agent-error.ts';
import type { AcpProgram } from './acp-program.ts';
import { AcpSession } from './acp-session.ts';
import { PERMISSION_TOOL } from './permissions.ts';
import { USAGE_ID } from './usage.ts';

/** Options of {@link acpAgent}. */
export interface AcpAgentOptions {
  /** The program, which speaks the Agent Client Protocol, version 1, on its standard input and output: a path, or a name on `PATH`. */
  readonly command: string;
  /** Its arguments. Default none. */
  readonly args?: readonly string[];
  /**
   * Variables of its environment, beside the secrets of the conversation and those by which programs find files, other programs and their
   * locale, such as `HOME` and `PATH`. It gets no other variable of this process. Values are masked if the name says so, as `API_KEY` does.
   * Default none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The model, by the program's own name for it. Default: the program chooses. */
  readonly model?: string;
  /** The program's mode of its session, such as `plan`. Default: the program's own default. */
  readonly mode?: string;
  /** A text that is sent before the first message of each session. Default none. */
  readonly instructions?: string;
  /** Milliseconds for which the program may be silent in a turn. Waiting for a permission does not count. Default 30 minutes. */
  readonly promptTimeout?: number;
  /** Milliseconds within which the program has to open its session. Default 90 seconds. */
  readonly startupTimeout?: number;
  /** Confines the program, such as `sandbox()` of `@conv/sandbox`. Default: it acts as the user of this process. */
  readonly sandbox?: Sandbox;
  /**
   * Further members of the stored description, such as `acp_server`. The program gets the MCP servers of `mcp_config`, in the form of OpenHands.
   * Default none.
   */
  readonly description?: JsonObject;
  /** Clocks, timers and ids. Default: those of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<AcpAgentOptions> = {
  command: true,
  args: true,
  env: true,
  model: true,
  mode: true,
  instructions: true,
  promptTimeout: true,
  startupTimeout: true,
  sandbox: true,
  description: true,
  platform: true,
};

/** Matches names of variables whose values are masked. */
const SECRET_NAME = /key|token|secret|passw|credential/i;

const programs = new WeakMap<Agent, AcpProgram>();

/**
 * Makes an agent of a program of another vendor, such as Claude Code, Codex or Gemini CLI. A step is a turn of the program: it gets the messages that it has
 * not had, its text becomes a message, its tool calls become ACPToolCallEvents, and its questions for permission become calls of
 * `request_permission`, on which the confirmation policy of the conversation decides. The program starts with the first step and ends with the
 * conversation. Its steps reject {@link AcpAgentError}. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { acpAgent } from '@conv/acp-agent';
 *
 * export const agent = acpAgent({ command: 'npx', args: ['-y', '@agentclientprotocol/claude-agent-acp'] });
 * ```
 */
export function acpAgent(options: AcpAgentOptions): Agent {
  checkOptionNames('acpAgent', options, NAMES, (message) => new AcpAgentError('INVALID_OPTION', message));
  const { command, args = [], env = {}, model, mode, instructions, sandbox, description = {} } = options;
  const { promptTimeout = 1_800_000, startupTimeout = 90_000, platform = systemPlatform } = options;
  const expect = (isRight: boolean, name: string, expected: string): void => {
    if (!isRight) throw new AcpAgentError('INVALID_OPTION', `acpAgent: ${name}: expected ${expected}`);
  };
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
  expect(isText(command), 'command', 'the name or the path of a program, such as npx');
  expect(Array.isArray(args) && args.every((arg) => typeof arg === 'string'), 'args', 'a list of texts');
  expect(
    Object.values(env).every((value) => typeof value === 'string'),
    'env',
    'texts by the names of variables',
  );
  for (const [name, value] of Object.entries({ model, mode, instructions }))
    expect(value === undefined || isText(value), name, 'a text that is not empty');
  for (const [name, value] of Object.entries({ promptTimeout, startupTimeout }))
    expect(value > 0 && value < 2 ** 31, name, 'a number of milliseconds from 1 to 2147483647');
  expect(
    sandbox === undefined || typeof sandbox.open === 'function',
    'sandbox',
    'a sandbox such as sandbox() of @conv/sandbox',
  );
  const mcp = description['mcp_config'];
  const times = { promptTimeout, startupTimeout };
  return agentOf({ command, args, env, model, mode, instructions, mcp, ...times, sandbox, platform }, description);
}

function agentOf(program: AcpProgram, extra: JsonObject): Agent {
  const { env, model } = program;
  const description = describe(program, extra);
  const agent: Agent = {
    toolNames: [PERMISSION_TOOL],
    secretValues: () => [
      ...Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : [])),
      ...descriptionSecrets.secretValuesOf(description),
    ],
    describe: ({ secrets = 'redacted', cipher } = {}) =>
      descriptionSecrets.mapSecrets(description, descriptionSecrets.secretWriter(secrets, cipher)),
    start: async (session) => {
      if (session.executor)
        throw new AcpAgentError(
          'UNSUPPORTED',
          'the program of this agent works in folders of this machine, and the workspace is in an executor: use a workspace of this machine, confined by a sandbox',
        );
      return new AcpSession(program, session, programOf);
    },
    withModel: (other) => {
      if (typeof other === 'string' && other !== '') return agentOf({ ...program, model: other }, extra);
      throw new TypeError(
        `expected the name of a model of the program ${program.command}${model === undefined ? '' : ` such as ${JSON.stringify(model)}`}, found another value`,
      );
    },
  };
  programs.set(agent, program);
  return agent;
}

/** Returns the program of an agent. Throws `TypeError` for an agent that {@link acpAgent} did not make. */
export function programOf(agent: Agent): AcpProgram {
  const program = programs.get(agent);
  if (program) return program;
  throw new TypeError('expected an agent of acpAgent, found another one; open the conversation again with it');
}

/** Returns the agent as OpenHands describes it. Variables are not part of it. */
function describe(program: AcpProgram, extra: JsonObject): JsonObject {
  const { command, args, model = null, mode = null, promptTimeout, startupTimeout, instructions } = program;
  const context =
    extra['agent_context'] ?? (instructions === undefined ? undefined : { system_message_suffix: instructions });
  return {
    acp_server: 'custom',
    acp_command: [command, ...args],
    acp_args: [],
    ...extra,
    kind: 'ACPAgent',
    acp_model: model,
    acp_session_mode: mode,
    acp_prompt_timeout: promptTimeout / 1000,
    acp_startup_timeout: startupTimeout / 1000,
    llm: { model: model ?? USAGE_ID, usage_id: USAGE_ID },
    tools: [],
    include_default_tools: [],
    ...(context === undefined ? {} : { agent_context: context }),
  };
}
