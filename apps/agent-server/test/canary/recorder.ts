import { inflateRawSync } from 'node:zlib';

import type { JsonObject } from '@conv/core';

/** Bytes that a server sent to a client. */
export interface Heard {
  readonly where: string;
  readonly bytes: Uint8Array;
}

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The object that the text is; `{}` for any other. */
  readonly body: JsonObject;
}

/** A client of a server that keeps everything that it hears: answers with their headers, and frames of sockets. */
export class Recorder {
  readonly heard: Heard[] = [];
  readonly #url: string;
  readonly #key: string;
  readonly #sockets: WebSocket[] = [];

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Asks with the key; `body` is sent as JSON, a text as it is. */
  async ask(
    method: string,
    path: string,
    body?: JsonObject | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'x-session-api-key': this.#key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status } = response;
    const where = `${method} ${path}: ${status}`;
    this.heard.push({ where: `${where}, headers`, bytes: Buffer.from(JSON.stringify([...response.headers])) });
    for (const part of unpacked(bytes)) this.heard.push({ where, bytes: part });
    const text = new TextDecoder().decode(bytes);
    return { status, text, body: text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {} };
  }

  /** Opens a socket and keeps its frames. Resolves when it is open. */
  async follow(path: string): Promise<void> {
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}${path}`);
    this.#sockets.push(socket);
    socket.addEventListener('message', ({ data }) =>
      this.heard.push({ where: `socket ${path}`, bytes: Buffer.from(String(data)) }),
    );
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => {
        socket.send(JSON.stringify({ type: 'auth', session_api_key: this.#key }));
        resolve();
      });
      socket.addEventListener('error', () => reject(new Error(`no socket at ${path}`)));
    });
  }

  /** Returns the number of frames that came over this socket. */
  frames(path: string): number {
    return this.heard.filter(({ where }) => where === `socket ${path}`).length;
  }

  /** Closes its sockets. */
  close(): void {
    for (const socket of this.#sockets) socket.close();
  }
}

/** The files of a zip archive; anything else as it is. */
function unpacked(bytes: Uint8Array): readonly Uint8Array[] {
  const buffer = Buffer.from(bytes);
  const end = buffer.lastIndexOf('PK\u0005\u0006', undefined, 'latin1');
  if (buffer.subarray(0, 2).toString() !== 'PK' || end < 0) return [bytes];
  const files: Uint8Array[] = [];
  for (let at = buffer.readUInt32LE(end + 16); buffer.readUInt32LE(at) === 0x02014b50;) {
    const [method, size, local] = [
      buffer.readUInt16LE(at + 10),
      buffer.readUInt32LE(at + 20),
      buffer.readUInt32LE(at + 42),
    ];
    const from = local + 30 + buffer.readUInt16LE(local + 26) + buffer.readUInt16LE(local + 28);
    const packed = buffer.subarray(from, from + size);
    files.push(method === 0 ? packed : inflateRawSync(packed));
    at += 46 + buffer.readUInt16LE(at + 28) + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return files;
}
