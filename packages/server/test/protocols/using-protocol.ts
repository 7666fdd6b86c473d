import type { Conversation } from '@conv/core';

import type { CallerConversations, ServedProtocol } from '../../src/protocols/served-protocol.ts';
import type { TestServer } from '../support/test-server.ts';

type Work = (conversation: Conversation, request: Request) => Promise<unknown>;

/** A protocol whose requests use a conversation by a function of the test. */
export class UsingProtocol implements ServedProtocol {
  readonly name = 'using';
  readonly paths: readonly string[] = ['/using/*'];
  readonly #works = new Map<string, { readonly work: Work; readonly done: (value: Promise<unknown>) => void }>();

  readonly handler =
    ({ open }: CallerConversations) =>
    async (request: Request): Promise<Response> => {
      const { pathname, searchParams } = new URL(request.url);
      const { work, done } = this.#works.get(searchParams.get('work') ?? '')!;
      const using = open(pathname.slice('/using/'.length), request).then((conversation) => work(conversation, request));
      done(using);
      await using.catch(() => {});
      return new Response('done');
    };

  /** Resolves and rejects as the work of a request with the key. */
  async use<T>(
    { server, id, key }: { readonly server: TestServer; readonly id: string; readonly key: string },
    work: (conversation: Conversation, request: Request) => Promise<T>,
  ): Promise<T> {
    const nth = `${this.#works.size}`;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#works.set(nth, { work, done: resolve });
    promise.catch(() => {});
    const { status } = await server.call('GET', `/using/${id}?work=${nth}`, undefined, { 'x-session-api-key': key });
    if (status !== 200) throw new Error(`the request was answered with ${status}`);
    return (await promise) as T;
  }
}
