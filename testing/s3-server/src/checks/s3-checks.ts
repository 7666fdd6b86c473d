import { accessChecks } from './access-checks.ts';
import { checksumChecks } from './checksum-checks.ts';
import { conditionChecks } from './condition-checks.ts';
import { listingChecks } from './listing-checks.ts';
import { multipartChecks } from './multipart-checks.ts';
import { createBucketCheck, objectChecks } from './object-checks.ts';
import type { S3Check } from './s3-check.ts';

/** All checks. The first one makes the bucket of the others, which may run in any order. */
export const s3Checks: readonly S3Check[] = [
  createBucketCheck,
  ...objectChecks,
  ...checksumChecks,
  ...listingChecks,
  ...conditionChecks,
  ...multipartChecks,
  ...accessChecks,
];
