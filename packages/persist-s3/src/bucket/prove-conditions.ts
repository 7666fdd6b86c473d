import { StoreError } from '@conv/core/store';
import { LostAnswer } from './lost-answer.ts';
import type { Bucket, WriteCondition } from './bucket.ts';
import { signsOf } from './from-s3-error.ts';
import type { ObjectKeys } from './object-keys.ts';

/** Tag of an empty object. No object of this proof is empty, so none has it. */
const OTHER_TAG = '"d41d8cd98f00b204e9800998ecf8427e"';

/**
 * Proves that conditional writes work in a bucket. Everything that this store promises rests on them, and many servers that speak
 * S3 overwrite silently. Makes five requests. Rejects `UNSUPPORTED` when conditional writes do not work.
 */
export async function proveConditions(bucket: Bucket, keys: ObjectKeys): Promise<void> {
  const key = keys.trial(bucket.platform.id());
  try {
    const etag = await written(bucket, key, 'ifFree');
    await refused(bucket, key, 'ifFree', 'If-None-Match: * overwrites what is there');
    await refused(bucket, key, { over: OTHER_TAG }, 'If-Match overwrites another version');
    await written(bucket, key, { over: etag });
  } catch (error) {
    throw settledReason(bucket, error);
  } finally {
    await bucket.remove([key]).catch(() => undefined);
  }
}

/**
 * Resolves `true` if a removal that is bound to a version spares another version. A service that does not know this condition removes
 * whatever is there, also a slot that an owner has written meanwhile. Makes four requests.
 */
export async function sparesOtherVersions(bucket: Bucket, keys: ObjectKeys): Promise<boolean> {
  const key = keys.trial(bucket.platform.id());
  try {
    await written(bucket, key, 'ifFree');
    await bucket.removeVersion({ key, etag: OTHER_TAG });
    return (await bucket.get(key)) !== undefined;
  } finally {
    await bucket.remove([key]).catch(() => undefined);
  }
}

async function written(bucket: Bucket, key: string, condition: WriteCondition): Promise<string> {
  const outcome = await put(bucket, key, condition);
  // A repetition is refused when the first, unanswered request has written the object. That proves as much as a tag would.
  if (outcome.stored) return outcome.etag;
  const found = await bucket.get(key);
  const isOurs = found && condition === 'ifFree';
  if (isOurs) return found.etag;
  if (found && typeof condition === 'object' && found.etag !== condition.over) return found.etag;
  throw unsupported(bucket, 'If-Match refuses the version that is there');
}

async function refused(bucket: Bucket, key: string, condition: WriteCondition, fault: string): Promise<void> {
  if ((await put(bucket, key, condition)).stored) throw unsupported(bucket, fault);
}

/** Writes another body each time, so that the tag changes too. */
function put(bucket: Bucket, key: string, condition: WriteCondition): ReturnType<Bucket['put']> {
  return bucket.put(key, Buffer.from(bucket.platform.id()), condition);
}

function unsupported(bucket: Bucket, fault: string, cause?: unknown): StoreError {
  const subject = `bucket ${bucket.name} has no conditional writes, which this store needs; use a service that has them`;
  return new StoreError('UNSUPPORTED', `${subject}: ${fault}`, cause === undefined ? {} : { cause });
}

function settledReason(bucket: Bucket, error: unknown): unknown {
  const reason = error instanceof LostAnswer ? error.cause : error;
  const { name } = signsOf(reason instanceof Error ? reason.cause : undefined);
  return name === 'NotImplemented' ? unsupported(bucket, 'the service does not implement them', reason) : reason;
}
