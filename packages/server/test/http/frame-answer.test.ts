import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

import { eventStreamResponse, type FrameReceiver, type ResponseFrames } from '@conv/turns';
import Fastify, { type FastifyInstance, type onSendAsyncHookHandler } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';

import { FrameAnswer, nodeBody } from '../../src/http/frame-answer.ts';

/** Frames that a test gives to each client. */
class Frames implements ResponseFrames {
  areShared = false;
  receiver!: FrameReceiver;
  asked = 0;
  isLeft = false;
  readonly begun = Promise.withResolvers<void>();

  begin(receiver: FrameReceiver): void {
    this.receiver = receiver;
  }

  more(): void {
    this.asked++;
    this.begun.resolve();
  }

  async leave(): Promise<void> {
    this.isLeft = true;
  }

  give(text: string): boolean {
    return this.receiver.take(Buffer.from(text));
  }
}

interface Served {
  readonly app: FastifyInstance;
  readonly port: number;
  /** The frames of the answers, in their order. */
  readonly frames: Frames[];
  /** Sockets of the answers. */
  readonly sockets: Socket[];
}

/** A server whose answers are frames. */
async function served(): Promise<Served> {
  const app = Fastify({ pluginTimeout: 0 });
  onTestFinished(() => app.close());
  const frames: Frames[] = [];
  const sockets: Socket[] = [];
  app.addHook('onSend', async (_, reply) => void reply.header('x-hook', 'seen'));
  app.get('/', async ({ raw }) => {
    const made = new Frames();
    frames.push(made);
    sockets.push(raw.socket);
    return new FrameAnswer(made);
  });
  app.get('/failing', async () => {
    const made = new Frames();
    const answer = new FrameAnswer(made);
    made.receiver.end({ error: Object.assign(new Error('too late'), { statusCode: 418 }) });
    return answer;
  });
  app.get('/told', async (_, reply) => {
    const made = new Frames();
    const answer = new FrameAnswer(made);
    made.receiver.end();
    return reply.type('text/event-stream').send(answer);
  });
  const told: { readonly onSend: onSendAsyncHookHandler } = { onSend: async () => frames.at(-1)!.receiver.end() };
  app.get('/told-at-the-head', told, async () => {
    const made = new Frames();
    frames.push(made);
    return new FrameAnswer(made);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, port: (app.server.address() as AddressInfo).port, frames, sockets };
}

async function ask({ port }: Served, options: object = {}): Promise<IncomingMessage> {
  const asked = request({ host: '127.0.0.1', port, ...options });
  asked.end();
  return ((await once(asked, 'response')) as [IncomingMessage])[0];
}

/** Resolves with the frames of an answer, once the server sends them. */
async function framesAt({ frames }: Served, at: number): Promise<Frames> {
  await expect.poll(() => frames.length).toBeGreaterThan(at);
  await frames[at]!.begun.promise;
  return frames[at]!;
}

const text = async (answer: IncomingMessage): Promise<string> => (await answer.setEncoding('utf8').toArray()).join('');

test('an answer has the headers of the server and all frames, and its connection takes the next request', async () => {
  const server = await served();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (let at = 0; at < 3; at++) {
    const answer = ask(server, { agent });
    const frames = await framesAt(server, at);
    for (const each of ['one ', 'zwölf ', 'x'.repeat(300_000)]) frames.give(each);
    frames.receiver.end();
    expect((await answer).headers).toMatchObject({ 'transfer-encoding': 'chunked', 'x-hook': 'seen' });
    expect(await text(await answer)).toBe(`one zwölf ${'x'.repeat(300_000)}`);
  }
  expect(new Set(server.sockets).size).toBe(1);
});

test('clients that are given the same bytes are sent the same chunk of HTTP', async () => {
  const server = await served();
  const answers = [ask(server), ask(server)];
  const clients = [await framesAt(server, 0), await framesAt(server, 1)];
  const written: unknown[] = [];
  for (const socket of server.sockets) {
    const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
    socket.write = ((...given: unknown[]) => {
      written.push(given[0]);
      return write(...given);
    }) as typeof socket.write;
  }
  const bytes = Buffer.from('data: one\n\n');
  for (const { receiver } of clients) receiver.take(bytes);
  expect(written).toEqual([Buffer.from('b\r\ndata: one\n\n\r\n'), expect.anything()]);
  expect(written[0]).toBe(written[1]);
  for (const { receiver } of clients) receiver.end();
  for (const answer of answers) expect(await text(await answer)).toBe('data: one\n\n');
});

test('no more frames are asked for while a client does not read', async () => {
  const server = await served();
  const answering = ask(server);
  const frames = await framesAt(server, 0);
  frames.give('begun');
  const answer = await answering;
  answer.pause();
  const piece = 'x'.repeat(100_000);
  let given = 0;
  let asked: number;
  // until the operating system takes no more
  do {
    ({ asked } = frames);
    given++;
    if (!frames.give(piece)) await setImmediate();
  } while (frames.asked > asked);
  const reading = text(answer);
  await expect.poll(() => frames.asked).toBe(asked + 1);
  frames.receiver.end();
  expect((await reading).length).toBe('begun'.length + given * piece.length);
});

test('an answer that is destroyed is cut off, and a client that leaves leaves its frames', async () => {
  const server = await served();
  const cut = ask(server);
  const first = await framesAt(server, 0);
  first.give('one');
  const answer = await cut;
  first.receiver.end({ error: new Error('revoked') });
  await expect(text(answer)).rejects.toThrow('aborted');
  expect(first.isLeft).toBe(true);
  const left = ask(server);
  const second = await framesAt(server, 1);
  second.give('one');
  (await left).destroy();
  await expect.poll(() => second.isLeft).toBe(true);
});

test('an answer that fails before its first frame has a status of its own', async () => {
  const server = await served();
  expect((await ask(server, { path: '/failing' })).statusCode).toBe(418);
});

test('an answer whose frames ended before it was sent ends, and its connection takes another request', async () => {
  const server = await served();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (const path of ['/told', '/told-at-the-head', '/told']) {
    const answer = await ask(server, { agent, path });
    expect([answer.statusCode, await text(answer)]).toEqual([200, '']);
  }
});

test('a client of HTTP 1.0, a pipelined request and an answer without a connection get ordinary streams', async () => {
  const server = await served();
  const old = connect(server.port, '127.0.0.1').setEncoding('latin1');
  old.write('GET / HTTP/1.0\r\nhost: x\r\n\r\n');
  const first = await framesAt(server, 0);
  first.give('one');
  first.receiver.end();
  expect((await old.toArray()).join('')).toMatch(/connection: close\r\n\r\none$/i);
  const piped = connect(server.port, '127.0.0.1').setEncoding('latin1');
  piped.write('GET / HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const [second, third] = [await framesAt(server, 1), await framesAt(server, 2)];
  third.give('three');
  third.receiver.end();
  second.give('two');
  second.receiver.end();
  expect((await piped.toArray()).join('')).toMatch(
    /\r\n\r\n3\r\ntwo\r\n0\r\n\r\nHTTP[^]*\r\n\r\n5\r\nthree\r\n0\r\n\r\n$/,
  );
  // a request begins when it is waited for
  const injected = Promise.resolve(server.app.inject('/'));
  const fourth = await framesAt(server, 3);
  fourth.give('four');
  fourth.receiver.end();
  expect((await injected).body).toBe('four');
});

test('a HEAD request gets the headers alone', async () => {
  const server = await served();
  const answer = ask(server, { method: 'HEAD' });
  const frames = await framesAt(server, 0);
  frames.give('one');
  frames.receiver.end();
  expect([(await answer).statusCode, await text(await answer)]).toEqual([200, '']);
});

test('the body of a web response is a stream of Node, whatever made it', async () => {
  const events = async function* () {
    yield { data: 'one' };
  };
  const bodies = [eventStreamResponse(events), new Response('plain'), new Response(null)].map(nodeBody);
  expect(bodies.map((body) => body && body instanceof FrameAnswer)).toEqual([true, false, null]);
  const read = bodies.map(async (body) => body && Buffer.concat(await body.toArray()).toString());
  expect(await Promise.all(read)).toEqual(['data: one\n\n', 'plain', null]);
});
