import type { JsonObject } from '@conv/core/tool';
import {
  ProtocolError,
  ProtocolErrorCode,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
} from '@modelcontextprotocol/client';
import { z } from 'zod';

/** A question of a server. */
export type Asked = ElicitRequestFormParams | ElicitRequestURLParams;

/** Limits of a server's questions: each goes into the log, to people and to the model. */
const MOST = { questions: 20, characters: 4000, fields: 50, schema: 64 * 1024, round: 256 * 1024 };

// our own, because the library's is of one revision, and addresses have other members in the next
const formSchema = z.looseObject({
  mode: z.literal('form').optional(),
  message: z.string(),
  requestedSchema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })),
  }),
});
const addressSchema = z.looseObject({ mode: z.literal('url'), message: z.string(), url: z.url() });
const askedSchema = z.union([addressSchema, formSchema]);

/** Reads a question between two requests, which the client library does not check. Throws `ProtocolError` that says what is wrong. */
export function readQuestion(name: string, params: unknown): Asked {
  const { success, data } = askedSchema.safeParse(params);
  if (!success) throw refused(`its question ${JSON.stringify(name)} is not one that the protocol allows`);
  const asked = data as unknown as Asked;
  checkQuestion(asked);
  return asked;
}

/** Throws `ProtocolError` for a question that is too large. */
export function checkQuestion(asked: Asked): void {
  atMost('characters of a question', asked.message.length, MOST.characters);
  if (asked.mode === 'url') return atMost('characters of an address', asked.url.length, MOST.characters);
  atMost('fields of a question', Object.keys(asked.requestedSchema.properties).length, MOST.fields);
  atMost('characters of the schema of a question', JSON.stringify(asked.requestedSchema).length, MOST.schema);
}

/** Throws `ProtocolError` for a call that has asked too often, with the question that it asks now. */
export function checkCount(questions: number): void {
  atMost('questions of a call', questions, MOST.questions);
}

/** Throws `ProtocolError` for a round that is too large to keep. */
export function checkRound(round: JsonObject): void {
  atMost('characters of the state and the questions of a call', JSON.stringify(round).length, MOST.round);
}

function atMost(of: string, found: number, most: number): void {
  if (found > most) throw refused(`expected at most ${most} ${of}, found ${found}`);
}

function refused(reason: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, reason);
}
