import { createSocket } from 'node:dgram';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';

/**
 * Stands for the server whose agent tries to get out. It holds a key in its environment, gives it to every local client, as services
 * of a machine do, and says its ports on its standard output.
 */
const { VICTIM_KEY = '', VICTIM_SOCKET = '' } = process.env;

const http = createHttpServer((_, response) => response.end(VICTIM_KEY));
const pipe = createServer((socket) => socket.end(VICTIM_KEY));
const abstract = createServer((socket) => socket.end(VICTIM_KEY));
const names = createSocket('udp4');
let asked = 0;
names.on('message', () => {
  asked += 1;
  process.stdout.write(`asked ${asked}\n`);
});

for (const server of [http, pipe, abstract]) server.on('error', fail);
names.on('error', fail);

http.listen(0, '0.0.0.0', () =>
  pipe.listen(VICTIM_SOCKET, () =>
    abstract.listen({ path: `\0${VICTIM_SOCKET}` }, () =>
      names.bind(0, '127.0.0.1', () => {
        const address = http.address();
        const port = typeof address === 'object' ? address?.port : undefined;
        process.stdout.write(`ready ${port} ${names.address().port}\n`);
      }),
    ),
  ),
);

function fail(error: Error): void {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
