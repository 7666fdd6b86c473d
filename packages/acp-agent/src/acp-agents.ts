import { checkOptionNames, type Agent, type AgentFactory, type JsonObject, type OptionNames } from '@conv/core';
import { isJsonObject, type Platform } from '@conv/core/platform';
import type { Sandbox } from '@conv/core/tool';
import { descriptionSecrets } from '@conv/openhands/descriptions';
import { z } from 'zod';

import { AcpAgentError } from './acp-agent-error.ts';
import { acpAgent } from './acp-agent.ts';

/** Options of {@link acpAgents}. */
export interface AcpAgentsOptions {
  /** Confines the programs. Default: they act as the user of this process. */
  readonly sandbox?: Sandbox;
  /** Variables of their environment, as in {@link acpAgent}. Default none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Clocks, timers and ids. Default: those of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<AcpAgentsOptions> = { sandbox: true, env: true, platform: true };

const seconds = z.number().positive();
const text = z.string().min(1).nullish();

const storedSchema = z.object({
  acp_command: z.tuple([z.string().min(1)], z.string()),
  acp_args: z.array(z.string()).nullish(),
  acp_model: text,
  acp_session_mode: text,
  acp_prompt_timeout: seconds.nullish(),
  acp_startup_timeout: seconds.nullish(),
  agent_context: z.looseObject({ system_message_suffix: z.string().nullish() }).nullish(),
});

/** Members that ask for what the program does itself, and their values that ask for nothing. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['tools', 'the program has its own tools'],
  ['condenser', 'the program keeps its own history'],
];

/**
 * Builds the agents of stored and sent descriptions of the kind `ACPAgent`, with the members of OpenHands. `revive` resolves `undefined` for other kinds;
 * rejects {@link AcpAgentError} `INVALID_OPTION` and `UNSUPPORTED`.
 */
export function acpAgents(options: AcpAgentsOptions = {}): AgentFactory {
  checkOptionNames('acpAgents', options, NAMES, (message) => new AcpAgentError('INVALID_OPTION', message));
  return {
    revive: async (stored, { cipher } = {}) => {
      if (stored['kind'] !== 'ACPAgent') return undefined;
      return revived(descriptionSecrets.mapSecrets(stored, descriptionSecrets.secretReader(cipher)), options);
    },
  };
}

function revived(description: JsonObject, options: AcpAgentsOptions): Agent {
  for (const [name, next] of REFUSED)
    if (!isNothing(description[name])) {
      const what = `${name}: expected nothing for an agent of another program, found a value: ${next}, and leave it out`;
      throw new AcpAgentError('UNSUPPORTED', what);
    }
  const read = storedSchema.safeParse(description);
  if (!read.success) {
    const [issue] = read.error.issues;
    const what = `${issue?.path.join('.') ?? 'the agent'}: ${issue?.message ?? 'it is wrong'}`;
    throw new AcpAgentError('INVALID_OPTION', `${what}; expected the members of an ACPAgent`);
  }
  const {
    acp_command: [command, ...first],
    acp_args: rest,
    acp_model: model,
    acp_session_mode: mode,
  } = read.data;
  const { acp_prompt_timeout: prompt, acp_startup_timeout: startup, agent_context: context } = read.data;
  const instructions = context?.system_message_suffix?.trim();
  return acpAgent({
    ...options,
    command,
    args: [...first, ...(rest ?? [])],
    ...(model ? { model } : {}),
    ...(mode ? { mode } : {}),
    ...(instructions ? { instructions } : {}),
    ...(prompt ? { promptTimeout: prompt * 1000 } : {}),
    ...(startup ? { startupTimeout: startup * 1000 } : {}),
    description,
  });
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
