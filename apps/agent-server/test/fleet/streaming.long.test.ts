import { join } from 'node:path';

import { createModelServer, say } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { make, payload, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually } from '../server-process.ts';
import { FLEET_KEY, startInFleet } from './fleet-process.ts';

interface Frame {
  readonly type: string;
  readonly item_id?: string;
  readonly content?: string;
  readonly event?: { readonly id: string; readonly kind: string; readonly source: string };
}

test('an answer is shown while it arrives by a server that does not do the run', async () => {
  const words = Array.from({ length: 60 }, (_, index) => `word ${index} `);
  await using model = await createModelServer({ script: () => say(words, { chunkDelay: 50 }) });
  const cwd = newFolder();
  const setting = {
    cwd,
    store: `sqlite:${join(cwd, 'conversations.db')}`,
    env: { OH_SECRET_KEY: 'one-secret-for-all-servers' },
  };
  const [first, second] = [await startInFleet(setting), await startInFleet(setting)];
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789', stream: true };
  const { id } = await make(first.server, payload({ cwd, llm }));
  const frames: Frame[] = [];
  const socket = new WebSocket(
    `${second.url.replace('http', 'ws')}/sockets/session/${id}?after_seq=-1&session_api_key=${FLEET_KEY}`,
  );
  onTestFinished(() => socket.close());
  socket.addEventListener('message', ({ data }) => frames.push(JSON.parse(data as string) as Frame));
  await eventually(() => frames.length > 1);
  // the owner asks its model to stream, because a client listens at the other server
  await first.server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  await until(second.server, id, 'finished');
  const answer = await eventually(
    () =>
      frames.findLast(
        ({ type, event }) => type === 'durable' && event?.source === 'agent' && event.kind === 'MessageEvent',
      )?.event,
  );
  const ofAnswer = frames.filter(({ item_id }) => item_id === answer.id);
  expect(ofAnswer[0]?.type).toBe('item_started');
  expect(ofAnswer.length).toBeGreaterThan(2);
  const shown = ofAnswer.map(({ content }) => content ?? '').join('');
  expect(words.join('').startsWith(shown) || words.join('').includes(shown)).toBe(true);
  const place = (wanted: (frame: Frame) => boolean): number => frames.findIndex(wanted);
  const isAnswer = ({ event }: Frame): boolean => event?.id === answer.id;
  // behind the message that it answers, before its event
  expect(place(({ item_id }) => item_id === answer.id)).toBeGreaterThan(
    place(({ event }) => event?.kind === 'MessageEvent'),
  );
  expect(frames.findLastIndex(({ item_id }) => item_id === answer.id)).toBeLessThan(place(isAnswer));
});
