/**
 * Checks of the behaviour of S3 with the real SDK, for this server and for other servers.
 *
 * @packageDocumentation
 */
export { createCheckClient, type S3Check, type S3CheckBench, type S3CheckTarget } from './s3-check.ts';
export { s3Checks } from './s3-checks.ts';
