import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** Posts JSON on a connection that stays open; resolves with the body of the answer. Costs less than `fetch`, which would hide what servers cost. */
export function post(port: number, path: string, body: object): Promise<string> {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (answer) => {
      let read = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => (read += piece));
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(read);
        else reject(new Error(`${path} was answered with ${answer.statusCode}: ${read}`));
      });
    });
    asked.on('error', reject);
    asked.end(text);
  });
}

/** Sends a message that no agent answers; resolves when the server has acknowledged it. */
export function postMessage(port: number, id: string): Promise<string> {
  return post(port, `/api/conversations/${id}/events`, messageBody('go on'));
}

/** The body of a message that no agent answers. */
export function messageBody(text: string): object {
  return { role: 'user', content: [{ type: 'text', text }], run: false };
}
