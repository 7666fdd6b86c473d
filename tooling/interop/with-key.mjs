import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

/**
 * Starts a server on this machine that passes requests and sockets on with a key, for tests whose clients have none.
 *
 * @param {string} url of the server
 * @param {string} key
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function withKey(url, key) {
  const { hostname, port } = new URL(url);
  const headersOf = (headers) => ({ 'x-session-api-key': key, ...headers });
  const front = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    const passed = request({ hostname, port, method, path, headers: headersOf(headers) }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  front.on('upgrade', (asked, socket, head) => {
    const passed = connect(Number(port), hostname, () => {
      const lines = Object.entries(headersOf(asked.headers)).map(([name, value]) => `${name}: ${value}`);
      passed.write([`${asked.method} ${asked.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
      passed.write(head);
      passed.pipe(socket).pipe(passed);
    });
    passed.on('error', () => socket.destroy());
    socket.on('error', () => passed.destroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    url: `http://127.0.0.1:${front.address().port}`,
    async close() {
      front.closeAllConnections();
      front.close();
    },
  };
}
