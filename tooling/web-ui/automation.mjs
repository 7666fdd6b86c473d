import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Stands for the automation service that Agent Canvas starts beside an agent server: it is well, and has no automations. Without it the web UI shows that
 * a request failed, at any agent server.
 *
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startAutomation() {
  const server = createServer(({ method, url = '' }, response) => {
    const { pathname } = new URL(url, 'http://127.0.0.1');
    const answer = method === 'GET' ? ANSWERS[pathname] : undefined;
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { detail: 'Not Found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const ANSWERS = {
  '/api/automation/health': { status: 'ok' },
  '/api/automation/v1': { automations: [], total: 0, limit: 50, offset: 0 },
};
