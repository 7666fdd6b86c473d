import { CodedError, markErrors } from '@conv/core';

/**
 * Reasons why an agent cannot be built or put to work.
 *
 * | code | when |
 * | --- | --- |
 * | `DUPLICATE_TOOL` | two tools have the same name |
 * | `UNKNOWN_TOOL` | a stored description names a tool, or MCP servers, that the factory was not given |
 * | `TOOL_FAILED` | a tool could not be made, or a provider's tools cannot be used, such as those of MCP servers that cannot be reached; `cause` says why |
 * | `INVALID_DESCRIPTION` | a stored description lacks a member that every agent has, or a member has an impossible value |
 * | `INVALID_OPTION` | an option is out of its range; the message names it |
 * | `UNKNOWN_PROFILE` | no model is stored under this name |
 * | `INVALID_PROFILE` | the profile that is stored under this name is no model |
 * | `INVALID_SKILL` | a file or folder of skills cannot be read, or has an impossible value; the message names it and the field |
 * | `INVALID_PLUGIN` | a folder is no plugin that can be read; the message names the file and the field |
 * | `DUPLICATE_SKILL` | two skills have the same name |
 * | `INVALID_RESPONSE` | the answer of a conversation does not fit the schema that it is read with; the message names the wrong fields |
 * | `INVALID_AGENT` | the definition of a sub-agent cannot be read, has an impossible value, or names a tool, a skill or a model that is not available; the message names it and the field |
 */
export type AgentErrorCode =
  | 'DUPLICATE_TOOL'
  | 'UNKNOWN_TOOL'
  | 'TOOL_FAILED'
  | 'INVALID_DESCRIPTION'
  | 'INVALID_OPTION'
  | 'UNKNOWN_PROFILE'
  | 'INVALID_PROFILE'
  | 'INVALID_SKILL'
  | 'INVALID_PLUGIN'
  | 'DUPLICATE_SKILL'
  | 'INVALID_RESPONSE'
  | 'INVALID_AGENT';

/** Thrown when an agent cannot be built or put to work. */
export class AgentError extends CodedError<AgentErrorCode> {
  constructor(code: AgentErrorCode, text: string, options?: ErrorOptions) {
    super(code, text, options);
    this.name = 'AgentError';
  }
}

/** True if `value` is an {@link AgentError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isAgentError: (value: unknown, code?: AgentErrorCode) => value is AgentError = markErrors(
  AgentError,
  'conv.agent.error',
);
