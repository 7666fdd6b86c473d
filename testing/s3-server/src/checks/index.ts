/**
 * What S3 does, as checks with the real SDK: to hold this server against, and servers of others.
 *
 * @packageDocumentation
 */
export { createCheckClient, type S3Check, type S3CheckBench, type S3CheckTarget } from './s3-check.ts';
export { s3Checks } from './s3-checks.ts';
