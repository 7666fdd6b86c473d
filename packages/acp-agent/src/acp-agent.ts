import { checkOptionNames, describeValue, type Agent, type JsonObject, type OptionNames } from '@conv/core';
import { isObject, systemPlatform, type Platform } from '@conv/core/platform';
import type { Sandbox } from '@conv/core/tool';
import { descriptionSecrets } from '@conv/openhands/descriptions';
import { expandReferences } from '@conv/openhands/references';

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
   * locale, such as `HOME` and `PATH`. It gets no other variable of this process. Values are masked if the name says so, as `API_KEY` does,
   * or if they are no plain words, and so are passwords in addresses. A value can name secrets of the conversation, and no other variables: `$NAME`,
   * `${NAME}`, or `${NAME:-text}` with a text for a secret that there is none of. Default none.
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
  /** Milliseconds within which the program has to open its session, and to change its mode or its model. Default 90 seconds. */
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

interface Rule {
  readonly expected: string;
  readonly isRight: (value: unknown) => boolean;
}

const TEXT: Rule = {
  expected: 'a text that is not empty',
  isRight: (value) => typeof value === 'string' && value !== '',
};
const TIME: Rule = {
  expected: 'a number of milliseconds from 1 to 2147483647',
  isRight: (value) => typeof value === 'number' && value >= 1 && value < 2 ** 31,
};

const RULES: Readonly<Record<Exclude<keyof AcpAgentOptions, 'platform'>, Rule>> = {
  command: { ...TEXT, expected: 'the name or the path of a program, such as npx' },
  args: { expected: 'an array of texts', isRight: isTexts },
  env: {
    expected: 'an object of names and texts',
    isRight: (value) => isObject(value) && isTexts(Object.values(value)),
  },
  model: TEXT,
  mode: TEXT,
  instructions: TEXT,
  promptTimeout: TIME,
  startupTimeout: TIME,
  sandbox: {
    expected: 'a sandbox, such as sandbox() of @conv/sandbox',
    isRight: (value) => isObject(value) && typeof value['open'] === 'function',
  },
  description: { expected: 'an object', isRight: isObject },
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

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
  checkOptions(options);
  const { command, args = [], env = {}, model, mode, instructions, sandbox, description = {} } = options;
  const { promptTimeout = 1_800_000, startupTimeout = 90_000, platform = systemPlatform } = options;
  const mcp = description['mcp_config'];
  const times = { promptTimeout, startupTimeout };
  return agentOf({ command, args, env, model, mode, instructions, mcp, ...times, sandbox, platform }, description);
}

/** Throws `INVALID_OPTION` for the first option that has an impossible value. */
function checkOptions(options: AcpAgentOptions): void {
  for (const [name, { expected, isRight }] of Object.entries(RULES)) {
    const value = options[name as keyof typeof RULES];
    if (isRight(value) || (value === undefined && name !== 'command')) continue;
    const found = typeof value === 'number' ? String(value) : describeValue(value);
    throw new AcpAgentError('INVALID_OPTION', `acpAgent: ${name}: expected ${expected}, found ${found}`);
  }
}

function agentOf(program: AcpProgram, extra: JsonObject): Agent {
  const { env, model } = program;
  const description = describe(program, extra);
  const agent: Agent = {
    toolNames: [PERMISSION_TOOL],
    secretValues: () => [
      ...Object.entries(env).flatMap(([name, value]) => secretsOf(name, value)),
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

/** Returns the secrets in the value of a variable. References to secrets are none: commands name variables in this way, too. */
function secretsOf(name: string, value: string): readonly string[] {
  const given = expandReferences(value, { values: {}, defaults: true });
  if (descriptionSecrets.secretsIn(name, descriptionSecrets.withoutReferences(given)).length === 0) return [];
  return descriptionSecrets.secretsIn(name, given).filter((secret) => !descriptionSecrets.isReference(secret));
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
