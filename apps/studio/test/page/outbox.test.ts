import { ConversationError, type RunOptions } from '@conv/core';
import type { RemoteConversation } from '@conv/remote';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/page/act/outbox.ts';
import type { Api } from '../../src/page/data/api.ts';
import { RequestError } from '../../src/page/data/request-error.ts';

/** A conversation at a server that answers when the test says so. */
class Answering {
  readonly sent: string[] = [];
  readonly ran: string[] = [];
  readonly state = { executionStatus: 'idle', workspace: { workingDir: '/w' } };
  isAway = false;
  /** True when the view was left. */
  isLeft = false;
  /** Messages that fail before others arrive. */
  failures = 0;
  refuses = false;
  approvingRuns = 0;
  readonly as = this as unknown as RemoteConversation;
  async sendMessage({ content }: { readonly content: readonly { readonly text: string }[] }): Promise<void> {
    if (this.isLeft) throw new ConversationError('CLOSED', 'the view was left');
    if (this.isAway || this.failures-- > 0) throw new RequestError('no answer', 0, '');
    this.sent.push(content.map(({ text }) => text).join(''));
  }

  run({ approves = true }: RunOptions): Promise<void> {
    this.approvingRuns += approves ? 1 : 0;
    this.ran.push(this.sent.at(-1) ?? '');
    return this.refuses ? Promise.reject(new Error('busy')) : Promise.resolve();
  }
}

const draft = (text: string): { readonly text: string; readonly attachments: readonly [] } => ({
  text,
  attachments: [],
});

test('messages leave in the order of their writing, even if the second is on its way as the first fails', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  server.failures = 1;
  await Promise.all(['first', 'second'].map((text) => outbox.send(server.as, draft(text), false)));
  expect([server.sent, outbox.all()]).toEqual([['first', 'second'], []]);
});

test('a message that no server answers keeps the later ones back, and all leave with any of them', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  server.isAway = true;
  for (const text of ['first', 'second', 'third']) await outbox.send(server.as, draft(text), false);
  expect(outbox.all().map(({ waits, failed }) => [waits, typeof failed])).toEqual(Array(3).fill([true, 'string']));
  server.isAway = false;
  await outbox.again(server.as, outbox.all()[0]?.id ?? '');
  expect(server.sent).toEqual(['first', 'second', 'third']);
});

test('a server that does not know the ids of messages gets each when a person sends it', async () => {
  const [outbox, server] = [new Outbox({} as Api, false), new Answering()];
  server.isAway = true;
  await outbox.send(server.as, draft('first'), false);
  server.isAway = false;
  await outbox.send(server.as, draft('second'), false);
  await outbox.whenBack(server.as);
  expect([server.sent, outbox.all().length]).toEqual([['second'], 1]);
});

test('P10: a message approves no call that comes to wait before its run', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  server.state.executionStatus = 'waiting_for_confirmation';
  await outbox.send(server.as, draft('go'), true);
  expect([server.sent, server.ran]).toEqual([['go'], []]);
});

test('P10: the run that answers a message approves nothing', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  await outbox.send(server.as, draft('go'), true);
  expect([server.ran, server.approvingRuns]).toEqual([['go'], 0]);
});

test('P10: a message that is sent again approves no call that waits', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  server.isAway = true;
  await outbox.send(server.as, draft('go'), true);
  Object.assign(server, { isAway: false });
  server.state.executionStatus = 'waiting_for_confirmation';
  await outbox.whenBack(server.as);
  expect([server.sent, server.ran]).toEqual([['go'], []]);
});

test('a run that is refused keeps no later message back', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  server.isAway = true;
  await outbox.send(server.as, draft('first'), true);
  await outbox.send(server.as, draft('second'), true);
  Object.assign(server, { isAway: false, refuses: true });
  await expect(outbox.whenBack(server.as)).rejects.toThrow('busy');
  expect([server.sent, outbox.all()]).toEqual([['first', 'second'], []]);
});

test('a waiting message that is taken back while an earlier one is on its way is not sent', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  server.isAway = true;
  for (const text of ['first', 'second']) await outbox.send(server.as, draft(text), false);
  server.isAway = false;
  const back = outbox.whenBack(server.as);
  outbox.discard(outbox.all()[1]?.id ?? '');
  await back;
  expect(server.sent).toEqual(['first']);
});

test('a message whose view was left in the middle of sending waits, and leaves before later ones', async () => {
  const [outbox, server] = [new Outbox({} as Api, true), new Answering()];
  server.isLeft = true;
  await outbox.send(server.as, draft('first'), true);
  expect(outbox.all()).toMatchObject([{ waits: true }]);
  server.isLeft = false;
  await outbox.send(server.as, draft('second'), false);
  expect([server.sent, server.ran, outbox.all()]).toEqual([['first', 'second'], ['first'], []]);
});
