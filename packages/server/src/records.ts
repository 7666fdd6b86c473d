/**
 * Records of a server beside its conversations: settings, logins, receivers, usage, and the audit trail.
 *
 * @packageDocumentation
 */
export {
  auditTrail,
  type AuditedAction,
  type AuditEntry,
  type AuditTrailOptions,
} from './conversations/audit-trail.ts';
export { loginRecords, trialRecords } from './logins/login-records.ts';
export { receiverRecords } from './receivers/receiver-records.ts';
export { changePrivateFile } from './settings/private-file.ts';
export { renewSecrets, type RenewedSecrets, type RenewSecretsOptions } from './settings/renew-secrets.ts';
export { SettingsStore, type SettingsStoreOptions } from './settings/settings-store.ts';
export { usedToday } from './usage/usage-ledger.ts';
