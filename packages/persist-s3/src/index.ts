/**
 * Conversations in a bucket of S3, or of a service that has its API and its conditional writes: one request per group of commits,
 * one writer per conversation over all machines, no clock in what keeps them apart.
 *
 * @packageDocumentation
 */
export type { Finding, Report } from './ownership/finding.ts';
export { S3Registry, type S3RegistryOptions } from './registry/s3-registry.ts';
export { S3Store, type S3StoreOptions } from './store/s3-store.ts';
