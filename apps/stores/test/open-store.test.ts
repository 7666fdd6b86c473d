import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { initialFields } from '@conv/core';
import { createS3Server } from '@conv/testing-s3-server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { openStore, StoreAddressError } from '../src/index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conv-stores-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes with one store object and reads with another. */
async function keepsAConversation(address: string): Promise<void> {
  const id = randomUUID();
  const fields = { ...initialFields, id, title: 'kept', createdAt: new Date().toISOString() };
  const writer = await openStore(address);
  const journal = await writer.store.open(id, { owner: 'test' });
  await journal.append({ id: randomUUID(), events: [], patch: { set: fields } }, fields);
  await writer.close();
  const reader = await openStore(address);
  expect((await reader.store.read(id))?.end.seq).toBe(1);
  expect((await reader.store.list()).items).toMatchObject([{ id, title: 'kept' }]);
  await reader.close();
}

it('a folder keeps a conversation', () => keepsAConversation(`fs:${folder}/conversations`));

it('a SQLite file keeps a conversation', () => keepsAConversation(`sqlite:${folder}/conversations.db`));

it('a bucket keeps a conversation', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test1234');
  const server = await createS3Server();
  const client = new S3Client({ region: 'us-east-1', endpoint: server.url, forcePathStyle: true });
  try {
    await client.send(new CreateBucketCommand({ Bucket: 'conversations' }));
    await keepsAConversation(`s3:conversations/team?region=us-east-1&endpoint=${server.url}`);
  } finally {
    client.destroy();
    await server.close();
  }
});

it.each([
  ['s3:conversations/team', 'none; add ?region=REGION'],
  ['s3:conversations/team?region=', 'none; add ?region=REGION'],
  ['s3:conversations/team?endpoint=http://127.0.0.1:1', 'none; add &region=REGION'],
  ['s3:conversations/team?region=eu%20west', '"eu west"; add ?region=REGION'],
])('the place %s without the region of its bucket is refused with what to write', async (address, found) => {
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined);
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, join(folder, 'none'));
  const opening = openStore(address);
  await expect(opening).rejects.toThrow(StoreAddressError);
  await expect(opening).rejects.toThrow(
    `s3:conversations/team/: expected the region of the bucket, found ${found} to the address, or set AWS_REGION`,
  );
});

it('AWS_REGION names the region of a bucket', async () => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  const opened = await openStore('s3:conversations');
  expect(opened.address).toEqual({ kind: 's3', bucket: 'conversations', prefix: '' });
  await opened.close();
});

it('a database that cannot be reached is told of when it is used, without its password', async () => {
  const opened = await openStore('postgres://conv:hunter2@127.0.0.1:1/conv');
  const error: unknown = await opened.store.list().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'UNAVAILABLE' });
  expect(String(error)).not.toContain('hunter2');
  await opened.close();
});

it('P13: a misspelt option is refused, and no store is opened', async () => {
  const options = { leaseTimout: 5000 } as object;
  await expect(openStore(`fs:${folder}/conversations`, options)).rejects.toThrow(
    'openStore: there is no option "leaseTimout"; did you mean leaseTimeout?',
  );
});
