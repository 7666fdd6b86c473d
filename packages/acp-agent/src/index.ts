/**
 * Agents of other programs: the client side of the Agent Client Protocol, for programs such as Claude Code, Codex and Gemini CLI.
 *
 * @packageDocumentation
 */
export { acpAgent, type AcpAgentOptions } from './acp-agent.ts';
export { AcpAgentError, isAcpAgentError, type AcpAgentErrorCode } from './acp-agent-error.ts';
export { acpAgents, type AcpAgentsOptions } from './acp-agents.ts';
export { acpModels, type AcpOffer } from './acp-models.ts';
export type { AcpModel } from './models.ts';
