import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';

/**
 * Starts a server on this machine that passes requests and sockets on with a key, for tests whose clients have none. `asked` has the requests, and
 * `cut` ends the sockets and keeps new ones waiting until `mend`.
 *
 * @param {string} url of the server
 * @param {string} key
 * @returns {Promise<{ url: string, asked: string[], cut(): number, mend(): void, close(): Promise<void> }>}
 */
export async function withKey(url, key) {
  const { hostname, port } = new URL(url);
  const headersOf = (headers) => ({ 'x-session-api-key': key, ...headers });
  const seen = [];
  const open = new Set();
  let waiting;
  const front = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    seen.push(`${method} ${path}`);
    const passed = request({ hostname, port, method, path, headers: headersOf(headers) }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  front.on('upgrade', (asked, socket, head) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    const pass = () => {
      const passed = connect(Number(port), hostname, () => {
        const lines = Object.entries(headersOf(asked.headers)).map(([name, value]) => `${name}: ${value}`);
        passed.write([`${asked.method} ${asked.url} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
        passed.write(head);
        passed.pipe(socket).pipe(passed);
      });
      passed.on('error', () => socket.destroy());
      socket.on('error', () => passed.destroy());
    };
    if (waiting === undefined) pass();
    else waiting.push(pass);
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    url: `http://127.0.0.1:${front.address().port}`,
    asked: seen,
    cut() {
      waiting = [];
      const { size } = open;
      for (const socket of open) socket.destroy();
      return size;
    },
    mend() {
      const passes = waiting ?? [];
      waiting = undefined;
      for (const pass of passes) pass();
    },
    async close() {
      for (const socket of open) socket.destroy();
      front.closeAllConnections();
      front.close();
    },
  };
}
