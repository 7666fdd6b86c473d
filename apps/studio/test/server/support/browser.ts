import { request as httpRequest } from 'node:http';

import type { JsonObject } from '@conv/core';
import type { RunningStudio } from '../../../src/index.ts';
import { WebSocket } from 'ws';

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: JsonObject;
}

/** Options of a request. */
export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser without a page: it keeps the cookie, and sends what browsers send with requests of a page of studio. */
export class TestBrowser {
  readonly origin: string;
  readonly #studio: RunningStudio;
  /** Everything that was answered, for canaries. */
  readonly seen: string[] = [];
  cookie: string | undefined;

  constructor(studio: RunningStudio) {
    this.#studio = studio;
    this.origin = new URL(studio.url).origin;
  }

  /** Opens a session by a start link. */
  static async opened(studio: RunningStudio): Promise<TestBrowser> {
    const browser = new TestBrowser(studio);
    const { status } = await browser.redeem(browser.ticket());
    if (status !== 204) throw new Error(`expected a session, found status ${status}`);
    return browser;
  }

  ticket(): string {
    return new URL(this.#studio.startLink()).hash.replace('#ticket=', '');
  }

  async redeem(ticket: string, headers: Asked['headers'] = {}): Promise<Answer> {
    const answer = await this.ask('POST', '/api/auth/session', { body: { ticket }, headers });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0];
    if (answer.status === 204 && cookie !== undefined) this.cookie = cookie;
    return answer;
  }

  /** Asks as a script of the page does. Headers that are given win. */
  ask(method: string, path: string, { body, headers = {} }: Asked = {}): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = {
      'sec-fetch-site': 'same-origin',
      ...(method === 'GET' ? {} : { origin: this.origin }),
      ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${text.length}` }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const request = httpRequest(this.origin + path, { method, headers: sent }, (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (piece: string) => (received += piece));
        response.on('error', reject).on('end', () => {
          this.seen.push(JSON.stringify(response.headers), received);
          const isJson = response.headers['content-type']?.includes('json') === true;
          const body = (isJson ? JSON.parse(received) : {}) as JsonObject;
          const answered = new Headers(response.headers as Record<string, string>);
          resolve({ status: response.statusCode ?? 0, headers: answered, text: received, body });
        });
      });
      request.on('error', reject).end(text);
    });
  }

  /** Opens a socket. Resolves with its first frame, or with the status or close code that refused it. */
  socket(
    path: string,
    headers: Asked['headers'] = {},
  ): Promise<{ readonly socket: WebSocket; readonly first: string }> {
    const sent = { origin: this.origin, ...(this.cookie === undefined ? {} : { cookie: this.cookie }), ...headers };
    const socket = new WebSocket(this.origin.replace('http', 'ws') + path, { headers: sent });
    return new Promise((resolve) => {
      const done = (first: string): void => resolve({ socket, first });
      socket.once('unexpected-response', (_request, response) => done(`refused with ${response.statusCode}`));
      socket.once('close', (code) => done(`closed with ${code}`));
      socket.on('message', (data: Buffer) => {
        this.seen.push(data.toString());
        done(data.toString());
      });
      socket.on('error', () => {});
      // a client without a session says something that is no key
      socket.once('open', () => sent.cookie === undefined && socket.send('{}'));
    });
  }
}
