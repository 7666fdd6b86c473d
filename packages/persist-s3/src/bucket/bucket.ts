import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type GetObjectCommandOutput,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { StoreError } from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import { signsOf } from './from-s3-error.ts';
import { attempt } from './attempt.ts';
import { serverDate } from './server-date.ts';

const MOST_DELETED = 1000;

/** Object as a request returned it. */
export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  /** Milliseconds since its last change, by the clock of the service if the answer tells the time, else by ours. */
  readonly age: number;
}

/** Condition of a write: `always`, only if the key is free, or only over the version with this tag. */
export type WriteCondition = 'always' | 'ifFree' | { readonly over: string };

/** Outcome of a conditional write: stored with a new tag, or refused by its condition. */
export type WriteOutcome = { readonly stored: true; readonly etag: string } | { readonly stored: false };

/** Key in a list, with the tag of its version. */
export interface ListedObject {
  readonly key: string;
  readonly etag: string;
  /** Time of its last change by the clock of the service, in epoch milliseconds. */
  readonly modified: number;
}

interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the store's requests to S3, and repeats each while its failures are transient. Rejects with a `StoreError`, or with
 * `signal.reason`. Rejects with `LostAnswer` when it is unknown whether a conditional write was executed.
 */
export class Bucket {
  readonly name: string;
  readonly platform: Platform;
  readonly #client: S3Client;
  readonly #onMark: () => void;
  /** Milliseconds by which the clock of the service was ahead of ours in its newest answer. */
  #ahead = 0;

  /** `onMark` is called after each mark that {@link Bucket.mark} has put. */
  constructor(client: S3Client, name: string, platform: Platform, onMark = (): void => {}) {
    this.#client = client;
    this.name = name;
    this.platform = platform;
    this.#onMark = onMark;
  }

  /** Returns the time of the service in epoch milliseconds, as far as its answers have told it. */
  serverNow(): number {
    return this.platform.now() + this.#ahead;
  }

  /**
   * Returns an object, or `undefined` when the key is free. `range` is the first byte and the byte after the last; bytes after
   * the end of the object are left out. `unless` is the tag of a version that the caller has: it is returned without its bytes.
   */
  async get(
    key: string,
    options: RequestOptions & { readonly range?: readonly [number, number]; readonly unless?: string | undefined } = {},
  ): Promise<StoredObject | undefined> {
    const { range, signal, unless } = options;
    const place = { Bucket: this.name, Key: key, ...(unless === undefined ? {} : { IfNoneMatch: unless }) };
    return this.#attempt(`getting ${key}`, { signal }, async (abortSignal) => {
      const Range = range && `bytes=${range[0]}-${range[1] - 1}`;
      const command = new GetObjectCommand(range ? { ...place, Range } : place);
      const date = serverDate(command);
      try {
        const output = await this.#client.send(command, { abortSignal });
        const bytes = await bytesOf(output);
        const now = this.#tellTime(date());
        return { bytes, etag: output.ETag ?? '', age: now - (output.LastModified?.getTime() ?? now) };
      } catch (error) {
        // Test the name, not the status: a missing bucket answers 404 as well, and must not count as a missing object.
        const { name, status } = signsOf(error);
        if (name === 'NoSuchKey') return undefined;
        // The object ends before the range.
        if (status === 416) return { bytes: Buffer.alloc(0), etag: '', age: 0 };
        if (status === 304 && unless !== undefined) return { bytes: Buffer.alloc(0), etag: unless, age: 0 };
        throw error;
      }
    });
  }

  /** Writes a whole object, if `condition` holds. Once this resolves with `stored: true` the object is durable. */
  async put(
    key: string,
    bytes: Uint8Array,
    condition: WriteCondition,
    { signal }: RequestOptions = {},
  ): Promise<WriteOutcome> {
    const where = { Bucket: this.name, Key: key, Body: bytes, ...conditionOf(condition) };
    const tellsLoss = condition !== 'always';
    return this.#attempt(`putting ${key}`, { signal, tellsLoss }, async (abortSignal) => {
      try {
        const { ETag } = await this.#client.send(new PutObjectCommand(where), { abortSignal });
        return { stored: true, etag: ETag ?? '' };
      } catch (error) {
        const { name, status } = signsOf(error);
        // A write over a version that is gone answers `NoSuchKey`; its condition does not hold either.
        if (status === 412 || (name === 'NoSuchKey' && condition !== 'always')) return { stored: false };
        throw error;
      }
    });
  }

  /** Puts an empty object, which is a mark. */
  async mark(key: string): Promise<void> {
    await this.put(key, new Uint8Array(), 'always');
    this.#onMark();
  }

  /** Copies an object inside the service. Resolves `false` when the source is missing. */
  async copy(from: string, to: string): Promise<boolean> {
    const CopySource = `${this.name}/${from.split('/').map(encodeURIComponent).join('/')}`;
    return this.#attempt(`copying ${from}`, {}, async (abortSignal) => {
      try {
        await this.#client.send(new CopyObjectCommand({ Bucket: this.name, Key: to, CopySource }), { abortSignal });
        return true;
      } catch (error) {
        if (signsOf(error).name === 'NoSuchKey') return false;
        throw error;
      }
    });
  }

  /** Deletes objects. Missing objects are not an error. */
  async remove(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MOST_DELETED) {
      const Objects = keys.slice(at, at + MOST_DELETED).map((Key) => ({ Key }));
      const deletion = { Bucket: this.name, Delete: { Objects, Quiet: true } };
      await this.#attempt('deleting', {}, async (abortSignal) => {
        const { Errors } = await this.#client.send(new DeleteObjectsCommand(deletion), { abortSignal });
        const [first] = Errors ?? [];
        if (!first) return;
        const code = first.Code === 'AccessDenied' ? 'DENIED' : 'UNAVAILABLE';
        throw new StoreError(code, `deleting ${first.Key}: ${first.Code}: ${first.Message}`);
      });
    }
  }

  /**
   * Deletes an object if it is still this version. A request that comes in late then leaves alone what has been written since. A service
   * without conditional deletes ignores the condition, so prove first that it knows it.
   */
  async removeVersion({ key, etag }: Pick<ListedObject, 'key' | 'etag'>): Promise<void> {
    const where = { Bucket: this.name, Key: key, IfMatch: etag };
    await this.#attempt(`deleting ${key}`, {}, async (abortSignal) => {
      try {
        await this.#client.send(new DeleteObjectCommand(where), { abortSignal });
      } catch (error) {
        const { name, status } = signsOf(error);
        if (status !== 412 && name !== 'NoSuchKey') throw error;
      }
    });
  }

  /** Yields the keys with a prefix, in pages of up to 1000. */
  async *list(
    prefix: string,
    { signal }: RequestOptions = {},
  ): AsyncGenerator<readonly ListedObject[], void, undefined> {
    for await (const { Contents = [] } of this.#pages({ Prefix: prefix }, signal))
      yield Contents.map(({ Key, ETag, LastModified }) => {
        return { key: Key ?? '', etag: ETag ?? '', modified: LastModified?.getTime() ?? this.serverNow() };
      });
  }

  /** Yields the names that the keys with a prefix continue with, up to the next slash, in pages of up to 1000. */
  async *folders(prefix: string): AsyncGenerator<readonly string[], void, undefined> {
    for await (const { CommonPrefixes = [] } of this.#pages({ Prefix: prefix, Delimiter: '/' }))
      yield CommonPrefixes.map(({ Prefix = '' }) => Prefix.slice(prefix.length, -1));
  }

  async *#pages(
    wanted: { readonly Prefix: string; readonly Delimiter?: string },
    signal?: AbortSignal,
  ): AsyncGenerator<ListObjectsV2CommandOutput, void, undefined> {
    for (let ContinuationToken: string | undefined; ;) {
      const next = { Bucket: this.name, ...wanted, ContinuationToken };
      const page = await this.#attempt(`listing ${wanted.Prefix}`, { signal }, async (abortSignal) => {
        const command = new ListObjectsV2Command(next);
        const date = serverDate(command);
        const output = await this.#client.send(command, { abortSignal });
        this.#tellTime(date());
        return output;
      });
      yield page;
      ContinuationToken = page.NextContinuationToken;
      if (ContinuationToken === undefined) return;
    }
  }

  /** Notes the time of the service, if an answer has told it. Returns that time, else ours. */
  #tellTime(date: number | undefined): number {
    const now = this.platform.now();
    if (date !== undefined) this.#ahead = date - now;
    return date ?? now;
  }

  #attempt<Value>(
    what: string,
    { signal, tellsLoss = false }: RequestOptions & { readonly tellsLoss?: boolean },
    request: (abortSignal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const subject = `${what} in bucket ${this.name}`;
    return attempt({ platform: this.platform, subject, signal, tellsLoss }, request);
  }
}

function conditionOf(condition: WriteCondition): { IfNoneMatch?: string; IfMatch?: string } {
  if (condition === 'always') return {};
  return condition === 'ifFree' ? { IfNoneMatch: '*' } : { IfMatch: condition.over };
}

async function bytesOf({ Body, ContentLength }: GetObjectCommandOutput): Promise<Buffer> {
  const array = (await Body?.transformToByteArray()) ?? new Uint8Array();
  if (ContentLength !== undefined && array.length !== ContentLength) {
    throw new Error(`${array.length} bytes of ${ContentLength} arrived`);
  }
  return Buffer.from(array.buffer, array.byteOffset, array.length);
}
