/**
 * Descriptions of agents, models, policies, hooks, secrets and skills as OpenHands writes them.
 *
 * @packageDocumentation
 */
export { wrongBaseUrl } from './base-url.ts';
export { type ClientToolSpec } from './client-tool.ts';
export { type HookConfig, type HookDefinition, type HookMatcher } from './hook-config.ts';
export { mcpServerMembers } from './mcp-server.ts';
export type { OtherKind } from './other-kind.ts';
export { type LookupSecretSource, type SecretSource, type StaticSecretSource } from './secret-source.ts';
export { mapCredentials, mapPasswords, type ConvertCredential, type CredentialSearch } from './server-credentials.ts';
