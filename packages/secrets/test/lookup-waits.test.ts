import { ManualPlatform } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';
import { serve, lookup, reasonOf } from './lookup-vault.ts';

const never = new AbortController().signal;

describe('lookups', () => {
  test('the rest of an answer that is not a value is not waited for', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((_, response) => {
      response.once('close', closed.resolve).writeHead(500).write('the beginning');
    });
    expect(await reasonOf(lookup(url))).toContain('500');
    await closed.promise;
  });

  test('a server that never answers, or never ends its answer, fails after the time limit', async () => {
    const asked = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const silent = await serve(() => asked.resolve());
    const endless = await serve((_, response) => response.write('the beginning'));
    const noting: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      begun.resolve();
      return response;
    };
    for (const [url, waits] of [
      [silent, asked.promise],
      [endless, begun.promise],
    ] as const) {
      const platform = new ManualPlatform();
      const reason = reasonOf(lookup(url, {}, { platform, fetch: noting }));
      await waits;
      platform.pass(30_000);
      expect(await reason).toContain('did not answer within 30 seconds');
    }
  });

  test('a lookup that was answered, refused or given up leaves no timer behind', async () => {
    const platform = new ManualPlatform();
    const options = { platform };
    const answering = await serve((_, response) => response.end('the looked up value'));
    await lookup(answering, {}, options).environmentFor('$TOKEN', never);
    const refusing = await serve((_, response) => response.writeHead(404).end());
    await reasonOf(lookup(refusing, {}, options));
    const asked = Promise.withResolvers<void>();
    const silent = await serve(() => asked.resolve());
    const controller = new AbortController();
    const given = lookup(silent, {}, options).environmentFor('$TOKEN', controller.signal);
    await asked.promise;
    expect(platform.waits).toEqual([30_000]);
    controller.abort(new Error('interrupted'));
    await expect(given).rejects.toThrow('interrupted');
    await expect.poll(() => platform.waits).toEqual([]);
  });

  test('P7: a caller that aborts is released, whatever the server does', async () => {
    const asked = Promise.withResolvers<void>();
    const url = await serve(() => asked.resolve());
    const controller = new AbortController();
    const waiting = lookup(url).environmentFor('$TOKEN', controller.signal);
    await asked.promise;
    controller.abort(new Error('interrupted'));
    await expect(waiting).rejects.toBe(controller.signal.reason);
  });
});
