import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isConversationError } from '@conv/core';
import { ProxyAgent } from 'undici';
import { describe, expect, test } from 'vitest';

import { openRemoteConversation, RemoteWorkspace } from '../../src/index.ts';
import { AGENT, Bench, KINDS } from '../support/bench.ts';
import { ConnectProxy } from '../support/connect-proxy.ts';

const pem = (name: string): string => readFileSync(join(import.meta.dirname, '../support/certificates', name), 'utf8');

async function talk(bench: Bench, workspace: RemoteWorkspace): Promise<string> {
  const conversation = await bench.open({ workspace });
  await conversation.sendMessage('Hello');
  await bench.until(() => bench.server.conversation.listeners.size > 0);
  // no poll: the end is told by the socket alone
  return (await conversation.run({ pollInterval: 1_000_000 })).status;
}

for (const [kind, capabilities] of KINDS) {
  describe(kind, () => {
    test('a server may stand under a path', async () => {
      await using bench = await Bench.start({ capabilities, prefix: '/agents/one' });
      expect(await talk(bench, bench.workspace({ url: `${bench.server.url}/` }))).toBe('finished');
    });

    test('a server may stand behind a proxy, for requests and sockets', async () => {
      await using proxy = await ConnectProxy.start();
      await using bench = await Bench.start({ capabilities });
      const dispatcher = new ProxyAgent({ uri: proxy.url, proxyTunnel: true });
      expect(await talk(bench, bench.workspace({ dispatcher, socketAgent: proxy.agent }))).toBe('finished');
      expect(proxy.tunnels).toBeGreaterThanOrEqual(2);
      await dispatcher.destroy();
    });

    test('a server may have a certificate of an authority of its own', async () => {
      const tls = { key: pem('key.pem'), cert: pem('certificate.pem') };
      await using bench = await Bench.start({ capabilities, tls });
      expect(await talk(bench, bench.workspace({ ca: tls.cert }))).toBe('finished');
      const stranger = new RemoteWorkspace({ url: bench.server.url, requests: { requestTimeout: 50 } });
      const refused = await openRemoteConversation({}, { agent: AGENT, workspace: stranger }).catch((e: unknown) => e);
      expect(isConversationError(refused, 'UNREACHABLE')).toBe(true);
    });
  });
}

test.for(['', 'ftp://host', 'http://name:password@host', 'http://host/?key=1', 'http://'])(
  'P13: %j is no address of a server',
  (host) => {
    expect(() => new RemoteWorkspace({ host })).toThrow(/INVALID_INPUT/);
  },
);
