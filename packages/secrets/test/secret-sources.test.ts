import { inspect } from 'node:util';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SECRET_MASK, type SecretVault } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { ManualPlatform } from '@conv/testing-harness';
import { afterEach, describe, expect, test } from 'vitest';
import { createSecretVault, fernetCipher } from '../src/index.ts';
import { lookUp } from '../src/look-up.ts';
import { warningsOf } from './warnings.ts';

const never = new AbortController().signal;
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function lookup(url: string, headers: Record<string, string> = {}, options: object = {}): SecretVault {
  const vault = createSecretVault(options);
  vault.update({ TOKEN: { kind: 'LookupSecret', url, headers } });
  return vault;
}

async function reasonOf(vault: SecretVault): Promise<string> {
  const { environment, missing } = await vault.environmentFor('$TOKEN', never);
  expect(environment).toEqual({});
  expect(missing).toEqual(vault.missing);
  return missing[0]?.reason ?? '';
}

describe('lookups', () => {
  test('a source with a url is looked up when it does not say its kind', async () => {
    const url = await serve((_, response) => response.end('the looked up value'));
    const vault = createSecretVault({});
    vault.update({ TOKEN: { url } });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the looked up value' });
  });

  test('P9: the value is asked for with the headers when it is named, and masked before it is handed out', async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      seen.push([request.method, request.url, request.headers['x-api-key']]);
      response.end('the looked up välue\n');
    });
    const vault = lookup(`${url}/secrets/one`, { 'X-API-Key': 'key of the store' });
    expect(vault.missing).toEqual([]);
    await vault.environmentFor('echo hello', never);
    expect(seen).toEqual([]);
    const { environment } = await vault.environmentFor('$TOKEN', never);
    expect(environment).toEqual({ TOKEN: 'the looked up välue\n' });
    expect(vault.masker.mask('[the looked up välue]')).toBe(`[${SECRET_MASK}]`);
    expect(seen).toEqual([['GET', '/secrets/one', 'key of the store']]);
  });

  test('a relative URL is relative to the base URL of the vault, and missing without one', async () => {
    const url = await serve((request, response) => response.end(`value at ${request.url}`));
    const vault = lookup('/api/settings/secrets/A', {}, { baseUrl: `${url}/ignored` });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({
      TOKEN: 'value at /api/settings/secrets/A',
    });
    expect(await reasonOf(lookup('/api/settings/secrets/A'))).toContain('relative');
  });

  test('a redirect is not followed, since it would carry the headers elsewhere', async () => {
    const visited: unknown[] = [];
    const url = await serve((request, response) => {
      visited.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end('body of the redirect');
    });
    expect(await reasonOf(lookup(`${url}/secret`))).toContain('redirect');
    expect(visited).toEqual(['/secret']);
  });

  test.each([404, 500, 204])('status %i: the secret is missing, or refused for an empty value', async (status) => {
    const url = await serve((_, response) =>
      response.writeHead(status).end(status === 204 ? undefined : 'secret-body-text'),
    );
    const reason = await reasonOf(lookup(`${url}/private-path`, { Authorization: 'Bearer private-token' }));
    expect(reason).toContain(status === 204 ? 'fewer than 8' : String(status));
    expect(reason).not.toMatch(/private|secret-body|127\.0\.0\.1/);
  });

  test('the rest of an answer that is not a value is not waited for', async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((_, response) => {
      response.once('close', closed.resolve).writeHead(500).write('the beginning');
    });
    expect(await reasonOf(lookup(url))).toContain('500');
    await closed.promise;
  });

  test('an answer above 32 KiB is not read to its end', async () => {
    const url = await serve((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        response.once('drain', write);
      };
      write();
    });
    expect(await reasonOf(lookup(url))).toContain('32 KiB');
  });

  test.each([
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0xfd, 0x80, 0x81, 0x82, 0x83, 0x84]), 'not text'],
    ['a NUL', Buffer.from('value with \0 in it'), 'NUL'],
  ])('%s are no value', async (_, body, words) => {
    const url = await serve((__, response) => response.end(body));
    expect(await reasonOf(lookup(url))).toContain(words);
  });

  test.each([
    ['a server that is not there', 'http://127.0.0.1:1/private-path', 'failed'],
    ['another protocol', 'file:///etc/private-path', 'HTTP'],
  ])('%s: the secret is missing, with a reason that tells nothing secret', async (_, url, words) => {
    const reason = await reasonOf(lookup(url, { Authorization: 'Bearer private-token' }));
    expect(reason).toContain(words);
    expect(reason).not.toContain('private');
  });

  test.each(['кey', 'a\nb'])('a stored lookup with the header %j, which no request takes, says that', async (value) => {
    const source = {
      kind: 'lookup',
      url: 'http://127.0.0.1:1/',
      headers: { 'X-Key': `${value} private-word` },
    } as const;
    const deps = { platform: systemPlatform, fetch, baseUrl: undefined };
    const failure = await lookUp(source, deps, never).catch((error: unknown) => String(error));
    expect(failure).toContain('one of its headers cannot be sent');
    expect(failure).not.toContain('private-word');
  });

  test('a password in a URL that was stored elsewhere does not show in the error', async () => {
    const source = { kind: 'lookup', url: 'http://user:private-word@127.0.0.1:1/', headers: {} } as const;
    const failure: unknown = await lookUp(source, { platform: systemPlatform, fetch, baseUrl: undefined }, never).catch(
      (error: unknown) => error,
    );
    expect(String(failure)).toContain('failed');
    expect(inspect(failure, { depth: 9 })).not.toContain('private');
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

  test('a short answer is refused with a warning', async () => {
    const url = await serve((_, response) => response.end('1234'));
    const warnings = await warningsOf(async () => expect(await reasonOf(lookup(url))).toContain('fewer than 8'));
    expect(warnings).toEqual([expect.stringContaining('TOKEN')]);
    expect(warnings[0]).not.toContain('1234');
  });
});

describe('functions', () => {
  test('are called each time they are named, and an answer that differs leaves the old one masked', async () => {
    let count = 0;
    const vault = createSecretVault();
    vault.update({ TOKEN: () => `answer number ${(count += 1)}`, OTHER: { get: async () => 'value of other' } });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'answer number 1' });
    expect((await vault.environmentFor('$TOKEN $OTHER', never)).environment).toEqual({
      OTHER: 'value of other',
      TOKEN: 'answer number 2',
    });
    expect(vault.masker.mask('answer number 1, answer number 2')).toBe(`${SECRET_MASK}, ${SECRET_MASK}`);
  });

  test('are called on their object', async () => {
    const vault = createSecretVault();
    class Source {
      readonly #value = 'value of an object';
      get(): string {
        return this.#value;
      }
    }
    vault.update({ TOKEN: new Source() });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'value of an object' });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('private words');
      },
    ],
    ['rejects', () => Promise.reject(new Error('private words'))],
    ['rejects with nothing', () => Promise.reject()],
    ['returns no text', () => 5 as unknown as string],
  ])('a source that %s has no value, and its words are not shown', async (_, get) => {
    const vault = createSecretVault();
    vault.update({ TOKEN: get, OTHER: 'value of other' });
    const { environment, missing } = await vault.environmentFor('$TOKEN $OTHER', never);
    expect(environment).toEqual({ OTHER: 'value of other' });
    expect(missing).toEqual([{ name: 'TOKEN', reason: expect.stringContaining('function') }]);
    expect(JSON.stringify(missing)).not.toContain('private');
  });

  test('that failed are left alone for ten seconds and asked at the next naming after that', async () => {
    const platform = new ManualPlatform();
    let calls = 0;
    const vault = createSecretVault({ platform });
    vault.update({
      TOKEN: () => {
        calls += 1;
        if (calls < 3) throw new Error('not yet');
        return 'the value at last';
      },
    });
    for (const [time, expected] of [
      [0, 1],
      [9_999, 1],
      [10_000, 2],
      [19_999, 2],
      [20_000, 3],
      [20_001, 4],
    ] as const) {
      platform.pass(time - platform.now());
      await vault.environmentFor('$TOKEN', never);
      expect(calls).toBe(expected);
      expect(vault.missing).toHaveLength(calls < 3 ? 1 : 0);
    }
  });

  test('are called once for callers that name them at the same time', async () => {
    let calls = 0;
    const { promise, resolve } = Promise.withResolvers<string>();
    const vault = createSecretVault();
    vault.update({ TOKEN: () => ((calls += 1), promise) });
    const both = Promise.all([vault.environmentFor('$TOKEN', never), vault.environmentFor('$TOKEN', never)]);
    resolve('the shared value');
    expect((await both).map(({ environment }) => environment)).toEqual([
      { TOKEN: 'the shared value' },
      { TOKEN: 'the shared value' },
    ]);
    expect(calls).toBe(1);
  });

  test('P7: who gives up is released at once, and the others get the value', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let aborted = false;
    const vault = createSecretVault();
    vault.update({
      TOKEN: {
        get: ({ signal }) => {
          signal.addEventListener('abort', () => (aborted = true));
          return promise;
        },
      },
    });
    const controller = new AbortController();
    const impatient = vault.environmentFor('$TOKEN', controller.signal);
    const patient = vault.environmentFor('$TOKEN', never);
    const reason = new Error('interrupted');
    controller.abort(reason);
    await expect(impatient).rejects.toBe(reason);
    expect(aborted).toBe(false);
    resolve('the patient value');
    expect((await patient).environment).toEqual({ TOKEN: 'the patient value' });
    expect(aborted).toBe(false);
  });

  test('P7: a source without waiting callers is told to stop, and its answer is masked if it comes', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const signals: AbortSignal[] = [];
    const vault = createSecretVault({ cipher: fernetCipher('key') });
    vault.update({
      TOKEN: {
        get: ({ signal }) => {
          signals.push(signal);
          return signals.length === 1 ? promise : 'the second answer';
        },
      },
    });
    const controller = new AbortController();
    const waiting = vault.environmentFor('$TOKEN', controller.signal);
    controller.abort();
    await expect(waiting).rejects.toBe(controller.signal.reason);
    expect(signals[0]?.aborted).toBe(true);
    expect(vault.missing).toEqual([]);
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the second answer' });
    resolve('the first answer');
    await promise;
    await expect.poll(() => vault.masker.mask('the first answer')).toBe(SECRET_MASK);
    expect(vault.stored.hiddenValues).toHaveLength(2);
  });

  test('that fail after everybody gave up are asked at the next naming', async () => {
    const first = Promise.withResolvers<string>();
    let calls = 0;
    const vault = createSecretVault();
    vault.update({ TOKEN: () => ((calls += 1), calls === 1 ? first.promise : 'the second answer') });
    const controller = new AbortController();
    const waiting = vault.environmentFor('$TOKEN', controller.signal);
    controller.abort();
    await expect(waiting).rejects.toBe(controller.signal.reason);
    first.reject(new Error('stopped'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(vault.missing).toEqual([]);
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the second answer' });
  });

  test('a secret replaced while its source is asked has its new value, a removed secret has none', async () => {
    const first = Promise.withResolvers<string>();
    const vault = createSecretVault();
    vault.update({ A: () => first.promise, B: () => first.promise });
    const named = vault.environmentFor('$A $B', never);
    vault.update({ A: 'the new value of a', B: null });
    first.resolve('the old value');
    expect(await named).toEqual({ environment: { A: 'the new value of a' }, missing: [] });
    expect(vault.masker.mask('the old value')).toBe(SECRET_MASK);
  });

  test('P6: a value that cannot be encrypted is not given away', async () => {
    const vault = createSecretVault({
      cipher: {
        encrypt: () => {
          throw new Error('no key');
        },
        decrypt: () => undefined,
      },
    });
    vault.update({ TOKEN: () => 'the value of it' });
    expect((await vault.environmentFor('$TOKEN', never)).missing).toEqual([
      { name: 'TOKEN', reason: 'its value could not be encrypted' },
    ]);
    expect(vault.masker.mask('the value of it')).toBe(SECRET_MASK);
  });
});
