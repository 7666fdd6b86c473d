import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type GetObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { StoreError } from '@conv/core/store';
import type { Clock } from './clock.ts';
import { signsOf } from './from-s3-error.ts';
import { attempt } from './attempt.ts';
import { serverDate } from './server-date.ts';

const MOST_DELETED = 1000;

/** An object as it was read. */
export interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  /** Milliseconds between its last change and this reading, by the clock of the service if its answers tell that. */
  readonly age: number;
}

/** When a write may happen: always, only if the key is free, or only over the version with this tag. */
export type WriteCondition = 'always' | 'ifFree' | { readonly over: string };

/** How a write ended: with a new tag, or refused by its condition. */
export type WriteOutcome = { readonly stored: true; readonly etag: string } | { readonly stored: false };

/** A key in a list. */
export interface ListedObject {
  readonly key: string;
  readonly etag: string;
}

/** What every request may be given. */
interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The requests that the store makes, each tried again while that may help. Rejects with a `StoreError`, with `signal.reason`, or,
 * for a conditional write whose outcome is not known, with `LostAnswer`.
 */
export class Bucket {
  readonly name: string;
  readonly #client: S3Client;
  readonly #clock: Clock;

  constructor(client: S3Client, name: string, clock: Clock) {
    this.#client = client;
    this.name = name;
    this.#clock = clock;
  }

  /** `undefined` when there is no such key. `range`: from the first byte to before the last; nothing is there behind an object's end. */
  async get(
    key: string,
    options: RequestOptions & { readonly range?: readonly [number, number] } = {},
  ): Promise<StoredObject | undefined> {
    const { range, signal } = options;
    const place = { Bucket: this.name, Key: key };
    return this.#attempt(`getting ${key}`, { signal }, async (abortSignal) => {
      const Range = range && `bytes=${range[0]}-${range[1] - 1}`;
      const command = new GetObjectCommand(range ? { ...place, Range } : place);
      const date = serverDate(command);
      try {
        const output = await this.#client.send(command, { abortSignal });
        const bytes = await bytesOf(output);
        const now = date() ?? this.#clock.now();
        return { bytes, etag: output.ETag ?? '', age: now - (output.LastModified?.getTime() ?? now) };
      } catch (error) {
        // A bucket that is not there has the same status, and is not an object that is not there.
        const { name, status } = signsOf(error);
        if (name === 'NoSuchKey') return undefined;
        // The object was cut off before the range.
        if (status === 416) return { bytes: Buffer.alloc(0), etag: '', age: 0 };
        throw error;
      }
    });
  }

  /** Writes an object as a whole. */
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
        if (status === 412 || (name === 'NoSuchKey' && condition !== 'always')) return { stored: false };
        throw error;
      }
    });
  }

  /** Copies an object inside of the service. `false` when the source is not there. */
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

  /** Deletes objects, whether they are there or not. */
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

  /** The keys with a prefix, a page of up to 1000 at a time. */
  async *list(prefix: string): AsyncGenerator<readonly ListedObject[], void, undefined> {
    for (let token: string | undefined; ;) {
      const next = { Bucket: this.name, Prefix: prefix, ...(token === undefined ? {} : { ContinuationToken: token }) };
      const page = await this.#attempt(`listing ${prefix}`, {}, (abortSignal) =>
        this.#client.send(new ListObjectsV2Command(next), { abortSignal }),
      );
      yield (page.Contents ?? []).map(({ Key, ETag }) => ({ key: Key ?? '', etag: ETag ?? '' }));
      token = page.NextContinuationToken;
      if (token === undefined) return;
    }
  }

  #attempt<Value>(
    what: string,
    { signal, tellsLoss = false }: RequestOptions & { readonly tellsLoss?: boolean },
    request: (abortSignal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const subject = `${what} in bucket ${this.name}`;
    return attempt({ clock: this.#clock, subject, signal, tellsLoss }, request);
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
