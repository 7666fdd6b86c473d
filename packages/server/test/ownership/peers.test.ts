import { systemPlatform } from '@conv/core/platform';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { APPROVER, SESSION, type Caller } from '../../src/auth/principal.ts';
import { Peers } from '../../src/ownership/peers.ts';
import { testFleet } from '../support/test-fleet.ts';

const request = { method: 'POST', path: '/api/conversations/1/run' };
const here = new Peers(testFleet('http://here.invalid'), systemPlatform);
const there = new Peers(testFleet('http://there.invalid'), systemPlatform);

/** Headers as they arrive. */
function arriving(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

test('a server believes what a peer states about a caller', () => {
  const named: Caller = { name: 'ann', scopes: ['read'], limits: { own: true, tags: { team: 'é' } } };
  for (const caller of [SESSION, APPROVER, named]) {
    const headers = arriving(here.headersFor('http://there.invalid', request, caller));
    expect(there.callerOf(headers, request)).toEqual(caller);
  }
});

test('a signature counts for one request, one server and one right', () => {
  const headers = arriving(here.headersFor('http://there.invalid', request, SESSION));
  const signed = headers['x-conv-peer'] as string;
  const changed = [
    { ...headers, 'x-conv-peer': signed.replace('session', 'approver') },
    { ...headers, 'x-conv-peer': signed.replace(/\.\d+\./, `.${Date.now() + 1}.`) },
    { ...headers, 'x-conv-forwarded-by': 'http://other.invalid' },
    { ...headers, 'x-conv-peer': '' },
  ];
  for (const one of changed) expect(there.callerOf(one, request)).toBeUndefined();
  expect(there.callerOf(headers, { ...request, path: '/api/conversations/2/run' })).toBeUndefined();
  expect(there.callerOf(headers, { ...request, method: 'DELETE' })).toBeUndefined();
  expect(here.callerOf(headers, request)).toBeUndefined();
  const stranger = new Peers({ ...testFleet('http://there.invalid'), key: 'the key of another fleet' }, systemPlatform);
  expect(stranger.callerOf(headers, request)).toBeUndefined();
});

test('a signature counts for five minutes, by the clock of either server', () => {
  const platform = new ManualPlatform(Date.UTC(2030, 0, 1));
  const asking = new Peers(testFleet('http://here.invalid'), platform);
  const asked = new Peers(testFleet('http://there.invalid'), platform);
  const headers = arriving(asking.headersFor('http://there.invalid', request, SESSION));
  platform.pass(300_000);
  expect(asked.callerOf(headers, request)).toBe(SESSION);
  platform.pass(1);
  expect(asked.callerOf(headers, request)).toBeUndefined();
});

test('listed servers are the only servers that may be asked; a star is a part of a name or a port', () => {
  const listed = ['http://10.0.0.*:8000', 'https://one.example', 'http://127.0.0.1:*'];
  const peers = new Peers({ ...testFleet('http://a.invalid'), peers: listed }, systemPlatform);
  for (const good of ['http://10.0.0.7:8000', 'https://one.example', 'http://127.0.0.1:1234'])
    expect(peers.lists(good)).toBe(true);
  const bad = [
    'http://10.0.0.7.evil.example:8000',
    'http://10.0.0.7:80',
    'https://one.example.evil',
    'http://one.example',
    'https://oneXexample',
    'http://127.0.0.1:1@evil.example',
    'pid 12 on 10.0.0.7',
  ];
  expect(bad.filter((owner) => peers.lists(owner))).toEqual([]);
});

test('a fleet needs a key, and peers that are URLs of servers', () => {
  const made = (changed: object) => (): Peers =>
    new Peers({ ...testFleet('http://a.invalid'), ...changed }, systemPlatform);
  expect(made({ key: 'short' })).toThrow('fleet: key: expected a text of');
  expect(made({ peers: ['10.0.0.7'] })).toThrow('the URL of a server: expected http');
});
