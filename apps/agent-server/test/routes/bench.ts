import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import {
  call,
  createModelServer,
  fail,
  lastUserText,
  say,
  toolResults,
  type ModelRequest,
  type ModelServer,
  type Turn,
} from '@conv/testing-model-server';

import { says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { type Answer, ServerProcess } from '../server-process.ts';

/** A call of a tool that the model of a {@link Bench} is told to make. */
export interface ToldCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/**
 * A server as a process, and a model. The model makes the call that a message names (see {@link Bench.run}) and says its own name
 * otherwise; a model whose name begins with `busy` never answers.
 */
export class Bench {
  readonly cwd: string;
  readonly model: ModelServer;
  readonly server: ServerProcess;
  /** The LLM object of a model that answers. */
  readonly llm: JsonObject;
  /** The requests for titles. */
  readonly titles: readonly ModelRequest[];

  private constructor(cwd: string, model: ModelServer, server: ServerProcess, titles: readonly ModelRequest[]) {
    this.cwd = cwd;
    this.model = model;
    this.server = server;
    this.titles = titles;
    this.llm = this.llmOf('calm');
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<Bench> {
    const cwd = newFolder();
    const titles: ModelRequest[] = [];
    const titleOf = (request: ModelRequest): Turn => {
      titles.push(request);
      return say(`A title of ${request.model}`);
    };
    const model = await createModelServer({ script: turnOf, titles: titleOf });
    const server = await ServerProcess.start({ cwd, env: { CONV_SHUTDOWN_SECONDS: '5', ...env } });
    return new Bench(cwd, model, server, titles);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.model.close();
  }

  /** The LLM object of the model of this name. */
  llmOf(name: string): JsonObject {
    return { model: `openai/${name}`, base_url: this.model.url, api_key: 'sk-test-0123456789', num_retries: 1 };
  }

  /** Starts a conversation with these members. Resolves with the answer. */
  start(members: JsonObject): Promise<Answer<ConversationInfo & JsonObject>> {
    const workspace = { working_dir: join(this.cwd, 'work', randomUUID()) };
    return this.server.call('POST', '/api/conversations', { workspace, ...members });
  }

  /** Starts a conversation; rejects when it is refused. */
  async make(members: JsonObject): Promise<string> {
    return idOf(await this.start(members));
  }

  /** Starts a conversation whose agent has a terminal and the model that answers. */
  plain(members: JsonObject = {}): Promise<string> {
    return this.make({ agent: { kind: 'Agent', llm: this.llm, tools: [{ name: 'terminal' }] }, ...members });
  }

  /** Asks and rejects with what the server says unless that is a success. */
  async ok<Body = JsonObject>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.server.call<Body>(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} with ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Sends a text, or has the model make a call. Resolves with the status in which the run ends. */
  async run(id: string, told: string | ToldCall): Promise<string> {
    const { status: taken, body } = await this.send(id, typeof told === 'string' ? told : JSON.stringify(told));
    if (taken !== 200) throw new Error(`the message was refused with ${taken}: ${JSON.stringify(body)}`);
    const { execution_status: status } = await this.ended(id);
    return status;
  }

  /** Sends a message and lets the agent run. Resolves with the answer. */
  send(id: string, text: string): Promise<Answer<JsonObject>> {
    return this.server.call('POST', `/api/conversations/${id}/events`, says(text, { run: true }));
  }

  /** The conversation when its run has ended, or waits for a person. */
  ended(id: string): Promise<ConversationInfo> {
    return until(this.server, id, 'finished', 'error', 'waiting_for_confirmation');
  }

  /** The text that the agent said last. */
  async said(id: string): Promise<string> {
    const { response } = await this.ok<{ response: string }>('GET', `/api/conversations/${id}/agent_final_response`);
    return response;
  }

  /** The last request to the model of this name. */
  lastRequest(name = 'calm'): ModelRequest {
    const request = this.model.requests.findLast(({ model }) => model === name);
    if (!request) throw new Error(`the model ${name} was not asked`);
    return request;
  }
}

/** The id of the conversation that was started; throws what the server said instead. */
export function idOf({ status, body }: Answer<ConversationInfo & JsonObject>): string {
  if (status !== 201) throw new Error(`refused with ${status}: ${JSON.stringify(body)}`);
  return body.id;
}

function turnOf(request: ModelRequest): ReturnType<typeof say> | ReturnType<typeof fail> {
  if (request.model.startsWith('busy')) return fail(503);
  const told = lastUserText(request);
  if (!told.startsWith('{') || toolResults(request, 'since-last-user-message').length > 0)
    return say(`It is ${request.model}.`);
  const { tool, arguments: given } = JSON.parse(told.split('\n')[0] ?? '') as ToldCall;
  return call(tool, given);
}
