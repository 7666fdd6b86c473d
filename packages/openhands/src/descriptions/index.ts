/**
 * Descriptions of agents, models, policies, hooks, secrets and skills as OpenHands writes them.
 *
 * @packageDocumentation
 */
export { wrongBaseUrl } from './base-url.ts';
export { type ClientToolSpec } from './client-tool.ts';
export * as descriptionSecrets from './description-secrets.ts';
export { type HookConfig, readHookFile } from './hook-config.ts';
export { mcpServerMembers } from './mcp-server.ts';
export * as metaProfiles from './meta-profiles.ts';
export type { OtherKind } from './other-kind.ts';
export type { SecretSource } from './secret-source.ts';
export { orAbsent } from '../schema/kept-member.ts';
export { LLM_SECRETS, readLlm, type StoredLlm } from './stored-llm.ts';
