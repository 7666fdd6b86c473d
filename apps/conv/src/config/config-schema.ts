import {
  ConversationError,
  type ConfirmationPolicy,
  type ConfirmationPolicyInput,
  parseConfirmationPolicy,
} from '@conv/core';
import { SANDBOX_MODES, type SandboxMode } from '@conv/sandbox';
import { isMcpError, type McpConfig, mcpServers } from '@conv/tools';
import { z } from 'zod';

import { toolNames } from '../conversation/tool-names.ts';

/** A model that a configuration names; its key comes from the environment. */
export interface ConfiguredModel {
  readonly name: string;
  readonly baseUrl?: string | undefined;
  /** Tokens. */
  readonly contextWindow?: number | undefined;
}

/** A checked configuration. */
export interface Config {
  readonly model?: ConfiguredModel | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly toolConcurrency?: number | undefined;
  readonly mcpServers?: McpConfig | undefined;
  /** Names of variables that hold secrets. */
  readonly secrets?: readonly string[] | undefined;
  /** Folders of skills, from the folder of the file on. */
  readonly skills?: readonly string[] | undefined;
  /** Folders of sub-agents, likewise. */
  readonly agents?: readonly string[] | undefined;
  /** True if the workspace's own instructions are given to the agent. */
  readonly project?: boolean | undefined;
  readonly maxIterations?: number | undefined;
  /** US dollars. */
  readonly budget?: number | undefined;
  /** The way in which an agent on this machine is confined. */
  readonly sandbox?: SandboxMode | undefined;
  readonly sandboxRead?: readonly string[] | undefined;
  readonly sandboxHosts?: readonly string[] | undefined;
  /** As the wire describes it. */
  readonly confirmationPolicy?: ConfirmationPolicy | undefined;
}

/** The policies that have a short name. */
const policies: Readonly<Record<string, ConfirmationPolicyInput>> = {
  never: { kind: 'NeverConfirm' },
  always: { kind: 'AlwaysConfirm' },
  risky: { kind: 'ConfirmRisky', threshold: 'MEDIUM' },
};

const fromOne = 'must be a whole number from 1';
const aboveZero = 'must be a number above 0';
const text = (what: string): z.ZodString => z.string(`must be ${what}`).trim().min(1, `must be ${what}`);

const modelSchema = z.union(
  [
    text('a name').transform((name): ConfiguredModel => ({ name })),
    z.strictObject({
      name: text('a name'),
      baseUrl: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
      contextWindow: z.int(fromOne).min(1, fromOne).optional(),
    }),
  ],
  'must be a name such as openai/gpt-5, or name, baseUrl and contextWindow; the key is taken from LLM_API_KEY',
);

/** accepts whatever `parseMcpConfig` accepts */
const mcpSchema = z.unknown().transform((value, context): McpConfig => {
  try {
    mcpServers(value as McpConfig);
  } catch (error) {
    if (!isMcpError(error)) throw error;
    context.addIssue({ code: 'custom', message: error.text });
  }
  return value as McpConfig;
});

const policySchema = z.unknown().transform((value, context): ConfirmationPolicy => {
  try {
    const named = typeof value === 'string' && Object.hasOwn(policies, value) ? policies[value] : value;
    return parseConfirmationPolicy(named);
  } catch (error) {
    if (!(error instanceof ConversationError)) throw error;
    const names = Object.keys(policies).join(', ');
    context.addIssue({ code: 'custom', message: `must be one of ${names}, or a policy as the protocol describes it` });
    return z.NEVER;
  }
});

/** Schema of a configuration file. Unknown members are refused. Messages hold no values, because they may be credentials. */
export const configSchema: z.ZodType<Config> = z.strictObject(
  {
    model: modelSchema.optional(),
    tools: z.array(z.enum(toolNames, `must be one of ${toolNames.join(', ')}`), 'must be a list of names').optional(),
    toolConcurrency: z.int(fromOne).min(1, fromOne).optional(),
    mcpServers: mcpSchema.optional(),
    secrets: z.array(text('the name of a variable'), 'must be a list of names of variables').optional(),
    skills: z.array(text('a folder'), 'must be a list of folders').optional(),
    agents: z.array(text('a folder'), 'must be a list of folders').optional(),
    project: z.boolean('must be true or false').optional(),
    maxIterations: z.int(fromOne).min(1, fromOne).optional(),
    budget: z.number(aboveZero).positive(aboveZero).optional(),
    sandbox: z.enum(SANDBOX_MODES, `must be one of ${SANDBOX_MODES.join(', ')}`).optional(),
    sandboxRead: z.array(text('a folder or a file'), 'must be a list of paths').optional(),
    sandboxHosts: z.array(text('the name of a host'), 'must be a list of names of hosts').optional(),
    confirmationPolicy: policySchema.optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'must be an object with members' : undefined) },
);

/** The members that a configuration may have. */
export const configMembers: readonly string[] = [
  'model',
  'tools',
  'toolConcurrency',
  'mcpServers',
  'secrets',
  'skills',
  'agents',
  'project',
  'maxIterations',
  'budget',
  'sandbox',
  'sandboxRead',
  'sandboxHosts',
  'confirmationPolicy',
];

/** The members that a model in a configuration may have. */
export const modelMembers: readonly string[] = ['name', 'baseUrl', 'contextWindow'];
