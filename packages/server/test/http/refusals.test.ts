import { describe, expect, test } from 'vitest';

import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer } from '../support/test-server.ts';

describe('a request', () => {
  test('a request for an unserved path is answered 404, and of an unserved method 405', async () => {
    const server = await startServer();
    const unknown = await server.call('GET', '/api/nothing');
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'Not Found' }]);
    const method = await server.call('PUT', '/api/conversations/search');
    expect([method.status, method.body]).toEqual([405, { detail: 'Method Not Allowed' }]);
    expect(method.headers.get('allow')).toContain('GET');
  });

  test('a request with a slash too many is sent to the path without it, query included', async () => {
    const server = await startServer();
    const { status, headers } = await server.call('GET', '/api/conversations/search/?limit=3');
    expect([status, headers.get('location')]).toEqual([307, '/api/conversations/search?limit=3']);
    const outside = await server.call('GET', '//example.org/');
    expect(outside.status).toBe(404);
  });

  test.each([
    ['broken JSON', '{"title": '],
    ['no JSON at all', 'title=x'],
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['nothing', ''],
    ['a list', '[]'],
    ['a number', '7'],
  ])('P13: a request whose body is %s is refused with 422', async (_name, body) => {
    const server = await startServer();
    const { body: made } = await server.call('POST', '/api/conversations', newConversation(server.folder));
    for (const path of ['/api/conversations', `/api/conversations/${made['id'] as string}/events`]) {
      const answer = await server.call('POST', path, body);
      expect(answer.status).toBe(422);
      expect(answer.body['detail']).toBeTruthy();
    }
  });

  test('P13: a request whose body is too large is refused with 413', async () => {
    const server = await startServer({ bodyLimit: 10_000 });
    const answer = await server.call('POST', '/api/conversations', message('x'.repeat(20_000)));
    expect([answer.status, answer.body]).toEqual([413, { detail: 'Request body is too large' }]);
  });

  test('a request without a content type is read as JSON', async () => {
    const server = await startServer();
    const body = JSON.stringify(newConversation(server.folder));
    const response = await fetch(`${server.url}/api/conversations`, { method: 'POST', body });
    expect(response.status).toBe(201);
  });

  test('P9: a request that is refused is not answered with the secrets that were in it', async () => {
    const server = await startServer();
    const secret = 'sk-very-secret-0123456789';
    const wrong = [
      {
        ...newConversation(server.folder),
        agent: { kind: 'Agent', llm: { model: 7, api_key: [secret], aws_session_token: secret } },
      },
      { ...newConversation(server.folder), secrets: { TOKEN: secret } },
      {
        ...newConversation(server.folder),
        secrets: { TOKEN: { kind: 'LookupSecret', headers: { 'X-Key': [secret] } } },
      },
      {
        ...newConversation(server.folder),
        agent: { kind: 'Agent', llm: {}, mcp_config: { a: { env: { KEY: [secret] } } } },
      },
      { ...newConversation(server.folder), workspace: secret },
    ];
    for (const body of wrong) {
      const answer = await server.call('POST', '/api/conversations', body);
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).not.toContain(secret);
    }
    const broken = await server.call('POST', '/api/conversations', `{"api_key": "${secret}`);
    expect(JSON.stringify(broken.body)).not.toContain(secret);
  });

  test('a request needs a key where there is one, and gets nowhere without it', async () => {
    const server = await startServer({ sessionKeys: ['right-key'] });
    for (const headers of [{}, { 'x-session-api-key': 'wrong' }, { 'x-session-api-key': 'RIGHT-KEY' }]) {
      const answer = await server.call('POST', '/api/conversations', newConversation(server.folder), headers);
      expect([answer.status, answer.body]).toEqual([401, { detail: 'Unauthorized' }]);
    }
    const key = { 'x-session-api-key': 'right-key' };
    expect((await server.call('POST', '/api/conversations', newConversation(server.folder), key)).status).toBe(201);
  });
});
