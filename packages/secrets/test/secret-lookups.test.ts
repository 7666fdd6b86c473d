import { inspect } from 'node:util';
import { SECRET_MASK } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { describe, expect, test } from 'vitest';
import { createSecretVault } from '../src/index.ts';
import { lookUp } from '../src/vault/look-up.ts';
import { warningsOf } from './warnings.ts';
import { serve, lookup, reasonOf } from './lookup-vault.ts';

const never = new AbortController().signal;

describe('lookups', () => {
  test('a source with a url is looked up when it does not say its kind', async () => {
    const url = await serve((_, response) => response.end('the looked up value'));
    const vault = createSecretVault({});
    vault.update({ TOKEN: { url } });
    expect((await vault.environmentFor('$TOKEN', never)).environment).toEqual({ TOKEN: 'the looked up value' });
  });

  test('P9: a value is asked for with the headers when it is named, and masked before it is handed out', async () => {
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

  test.each([404, 500, 204])('a secret behind status %i is missing, or refused for an empty value', async (status) => {
    const url = await serve((_, response) =>
      response.writeHead(status).end(status === 204 ? undefined : 'secret-body-text'),
    );
    const reason = await reasonOf(lookup(`${url}/private-path`, { Authorization: 'Bearer private-token' }));
    expect(reason).toContain(status === 204 ? 'fewer than 8' : String(status));
    expect(reason).not.toMatch(/private|secret-body|127\.0\.0\.1/);
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
  ])('a lookup of %s is missing, with a reason that tells nothing secret', async (_, url, words) => {
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

  test('a short answer is refused with a warning', async () => {
    const url = await serve((_, response) => response.end('1234'));
    const warnings = await warningsOf(async () => expect(await reasonOf(lookup(url))).toContain('fewer than 8'));
    expect(warnings).toEqual([expect.stringContaining('TOKEN')]);
    expect(warnings[0]).not.toContain('1234');
  });
});
