import assert from 'node:assert/strict';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { bodyOf, refusedWith, type S3Check, type S3CheckBench } from './s3-check.ts';

const ROUNDS = 30;
const RACERS = 16;
/** The tag of an empty body: never that of what is written here. */
const OTHER_TAG = '"d41d8cd98f00b204e9800998ecf8427e"';

/** Writes that happen only if nothing came between. */
export const conditionChecks: readonly S3Check[] = [
  {
    name: 'If-None-Match: * writes what is not there',
    run: async (bench) => {
      await put(bench, 'new', '1', { IfNoneMatch: '*' });
      assert.equal(await read(bench, 'new'), '1');
    },
  },
  {
    name: 'If-None-Match: * is refused with 412 for what is there, and changes nothing',
    run: async (bench) => {
      await put(bench, 'there', '1', {});
      await refusedWith([412], put(bench, 'there', '2', { IfNoneMatch: '*' }));
      assert.equal(await read(bench, 'there'), '1');
    },
  },
  {
    name: `of ${RACERS} who create a key at once exactly one does, in each of ${ROUNDS} rounds`,
    run: async (bench) => {
      for (let round = 0; round < ROUNDS; round++) {
        const winner = await race((racer) => put(bench, `race-${round}`, `racer ${racer}`, { IfNoneMatch: '*' }));
        assert.equal(await read(bench, `race-${round}`), `racer ${winner}`);
      }
    },
  },
  {
    name: 'If-Match with the tag of what is there replaces it',
    run: async (bench) => {
      const first = await put(bench, 'match', '1', {});
      const second = await put(bench, 'match', '2', { IfMatch: first });
      assert.notEqual(first, second);
      assert.equal(await read(bench, 'match'), '2');
    },
  },
  {
    name: 'If-Match with another tag is refused with 412 and changes nothing',
    run: async (bench) => {
      await put(bench, 'stale', '2', {});
      await refusedWith([412], put(bench, 'stale', '3', { IfMatch: OTHER_TAG }));
      assert.equal(await read(bench, 'stale'), '2');
    },
  },
  {
    name: 'If-Match on a key that is not there is refused with 404 or 412',
    run: (bench) => refusedWith([404, 412], put(bench, 'none', '3', { IfMatch: OTHER_TAG })),
  },
  {
    name: `of ${RACERS} who replace the same version at once exactly one does, in each of ${ROUNDS} rounds`,
    run: async (bench) => {
      let tag = await put(bench, 'cas', 'first', {});
      for (let round = 0; round < ROUNDS; round++) {
        const winner = await race((racer) => put(bench, 'cas', `${round}: ${racer}`, { IfMatch: tag }));
        assert.equal(await read(bench, 'cas'), `${round}: ${winner}`);
        const head = await bench.client.send(new HeadObjectCommand({ Bucket: bench.bucket, Key: 'condition/cas' }));
        tag = head.ETag ?? '';
      }
    },
  },
  {
    name: 'deleting with another tag is refused with 412 and deletes nothing',
    run: async (bench) => {
      await put(bench, 'kept', '1', {});
      const place = { Bucket: bench.bucket, Key: 'condition/kept' };
      await refusedWith([412], bench.client.send(new DeleteObjectCommand({ ...place, IfMatch: OTHER_TAG })));
      assert.equal(await read(bench, 'kept'), '1');
    },
  },
  {
    name: 'copying with If-None-Match: * over what is there is refused with 412',
    run: async (bench) => {
      await put(bench, 'source', 's', {});
      await put(bench, 'target', 't', {});
      const CopySource = `${bench.bucket}/condition/source`;
      const place = { Bucket: bench.bucket, Key: 'condition/target' };
      await refusedWith([412], bench.client.send(new CopyObjectCommand({ ...place, CopySource, IfNoneMatch: '*' })));
      assert.equal(await read(bench, 'target'), 't');
    },
  },
];

/** Writes `condition/<name>`. Resolves with its tag. */
async function put(
  { client, bucket }: S3CheckBench,
  name: string,
  body: string,
  condition: { readonly IfMatch?: string; readonly IfNoneMatch?: string },
): Promise<string> {
  const Key = `condition/${name}`;
  const { ETag } = await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: body, ...condition }));
  assert.ok(ETag);
  return ETag;
}

async function read({ client, bucket }: S3CheckBench, name: string): Promise<string> {
  const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: `condition/${name}` }));
  return (await bodyOf(got)).toString();
}

/** Runs all racers at once. Resolves with the only winner; the others are refused with 412 or 409. */
async function race(run: (racer: number) => Promise<unknown>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: RACERS }, (_, racer) => run(racer)));
  const winners: number[] = [];
  for (const [racer, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') winners.push(racer);
    else {
      const reason: unknown = outcome.reason;
      const status = reason instanceof S3ServiceException ? reason.$metadata.httpStatusCode : undefined;
      assert.ok(status === 412 || status === 409, `a loser is refused with 412 or 409, not ${String(reason)}`);
    }
  }
  assert.equal(winners.length, 1, `winners: ${winners.join()}`);
  return winners[0] ?? -1;
}
