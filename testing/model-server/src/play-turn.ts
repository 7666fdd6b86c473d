import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, RenderedAnswer } from './endpoint.ts';
import type { ModelRequest } from './model-request.ts';
import type { Reply } from './reply.ts';
import type { Answer, DropFault, StatusFault, Turn } from './turn.ts';

/** Dependencies of a turn. */
export interface Stage {
  readonly endpoint: Endpoint;
  readonly request: ModelRequest;
  readonly reply: Reply;
  readonly render: (answer: Answer) => RenderedAnswer;
}

/** Carries out a turn; rejects when the client leaves before it is over. Resolves with whether the server cut it. */
export async function playTurn(turn: Turn, stage: Stage): Promise<'answered' | 'dropped'> {
  const { reply, request } = stage;
  if (turn.delay !== undefined && turn.delay > 0) await sleep(turn.delay, undefined, { signal: reply.gone });
  if ('status' in turn) await sendStatus(turn, stage);
  else if ('drop' in turn) return sendDrop(turn, stage);
  else if ('hang' in turn) {
    if (turn.answer !== undefined && request.stream) await sendHalf(turn.answer, stage);
    await reply.untilGone();
    reply.gone.throwIfAborted();
  } else if ('raw' in turn) await reply.raw(turn.raw, request.stream);
  else await sendAnswer(turn, stage);
  return 'answered';
}

async function sendAnswer(answer: Answer, { reply, request, render }: Stage): Promise<void> {
  const { body, frames } = render(answer);
  if (request.stream) await reply.stream(frames, answer.chunkDelay ?? 0);
  else await reply.json(200, body);
}

async function sendStatus(fault: StatusFault, { endpoint, reply }: Stage): Promise<void> {
  const { status, headers, body, code } = fault;
  if (body !== undefined) return reply.json(status, body, headers);
  const message = fault.message ?? `scripted fault with status ${status}`;
  return reply.error(endpoint, { status, message, ...(code === undefined ? {} : { code }) }, headers);
}

async function sendDrop(fault: DropFault, stage: Stage): Promise<'dropped'> {
  if (fault.drop === 'mid-stream')
    await sendHalf(fault.answer ?? { text: 'This answer breaks off in the middle.' }, stage);
  stage.reply.cut();
  return 'dropped';
}

async function sendHalf(answer: Answer, { reply, request, render }: Stage): Promise<void> {
  await reply.half(render(answer), request.stream, answer.chunkDelay ?? 0);
}
