import type { RemoteConversation } from '@conv/remote';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/page/act/outbox.ts';
import type { Api } from '../../src/page/data/api.ts';
import { RequestError } from '../../src/page/data/request-error.ts';

/** A conversation whose messages arrive when the test says so. */
class Answering {
  readonly sent: string[] = [];
  readonly ran: string[] = [];
  readonly state = { executionStatus: 'idle', workspace: { workingDir: '/w' } };
  isAway = false;
  refuses = false;
  readonly as = this as unknown as RemoteConversation;
  #held: Promise<void> = Promise.resolve();

  /** Lets no message arrive until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  async sendMessage({ content }: { readonly content: readonly { readonly text: string }[] }): Promise<void> {
    await this.#held;
    if (this.isAway) throw new RequestError('no answer', 0, '');
    this.sent.push(content.map(({ text }) => text).join(''));
  }

  run(): Promise<void> {
    this.ran.push(this.sent.at(-1) ?? '');
    return this.refuses ? Promise.reject(new Error('busy')) : Promise.resolve();
  }
}

const draft = (text: string): { readonly text: string; readonly attachments: readonly [] } => ({
  text,
  attachments: [],
});

test('messages leave in the order in which they were written, also when the second is on its way while the first fails', async () => {
  const [outbox, server] = [new Outbox({} as Api), new Answering()];
  server.isAway = true;
  const release = server.hold();
  const sends = [outbox.send(server.as, draft('first'), false), outbox.send(server.as, draft('second'), false)];
  release();
  await sends[0];
  server.isAway = false;
  await sends[1];
  expect(server.sent).toEqual([]);
  expect(outbox.all().map(({ waits }) => waits)).toEqual([true, true]);
  await outbox.whenBack(server.as);
  expect(server.sent).toEqual(['first', 'second']);
  expect(outbox.all()).toEqual([]);
});

test('P10: a message that is sent again approves no call that waits', async () => {
  const [outbox, server] = [new Outbox({} as Api), new Answering()];
  server.isAway = true;
  await outbox.send(server.as, draft('go'), true);
  Object.assign(server, { isAway: false });
  server.state.executionStatus = 'waiting_for_confirmation';
  await outbox.whenBack(server.as);
  expect([server.sent, server.ran]).toEqual([['go'], []]);
});

test('a run that is refused keeps no later message back', async () => {
  const [outbox, server] = [new Outbox({} as Api), new Answering()];
  server.isAway = true;
  await outbox.send(server.as, draft('first'), true);
  await outbox.send(server.as, draft('second'), true);
  Object.assign(server, { isAway: false, refuses: true });
  await expect(outbox.whenBack(server.as)).rejects.toThrow('busy');
  expect([server.sent, outbox.all()]).toEqual([['first', 'second'], []]);
});
