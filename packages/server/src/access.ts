/**
 * Keys and principals of a server, which say who may do what, and its checks for a program in front of it.
 *
 * @packageDocumentation
 */
export { guardAccess, type AccessGuard, type AccessGuardOptions } from './access-guard.ts';
export { checkIssuer, isSafeUrl, type OidcOptions, type OidcRole } from './auth/oidc.ts';
export { keyDigests, type KeyDigests } from './auth/key-digests.ts';
export { addKey, readKeys, revokeKey, type KeyGrant, type NamedKey, type ReadKeysOptions } from './auth/key-records.ts';
export { NamedKeys, type NamedKeysOptions } from './auth/named-keys.ts';
export type { AuthOptions } from './auth/access-keys.ts';
export type { Caller, ConversationLimits, DailyLimits, Principal, Scope } from './auth/principal.ts';
export type { CorsOptions } from './auth/cross-origin.ts';
