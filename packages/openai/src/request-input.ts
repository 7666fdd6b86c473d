import type { MessagePart } from '@conv/core';
import { isJsonObject, isObject } from '@conv/core/platform';
import { imageAt, type Decision } from '@conv/turns';

import { ApiError } from './api-error.ts';
import type { ConversationRequest, OpenAIFunction } from './handler-options.ts';

/** The body of a request. */
export type Body = Readonly<Record<string, unknown>>;

/** The new things of a request, and its instructions. */
export interface RequestInput {
  /** The content of the user's message; empty without one. */
  readonly content: readonly MessagePart[];
  readonly decisions: readonly Decision[];
  readonly instructions: string;
}

/** Returns the body. Rejects {@link ApiError} 400 if it is no JSON object. */
export async function bodyOf(request: Request): Promise<Body> {
  const body: unknown = await request.json().catch(() => undefined);
  if (isObject(body)) return body;
  throw new ApiError(400, 'expected a JSON object in the body');
}

/** Returns the input of a request for a response. Throws {@link ApiError} 400 that names what is wrong. */
export function responseInput({ input, instructions }: Body): RequestInput {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : asList(input, 'input');
  const decisions: Decision[] = [];
  const told = new Told('input');
  for (const [at, item] of items.entries()) {
    const place = `input[${at}]`;
    if (!isObject(item)) throw new ApiError(400, `${place}: expected an object`, 'input');
    const { type = 'message', call_id: call, output, approval_request_id: asked, approve, reason } = item;
    if (type === 'message') told.add(item['role'], item['content'], place);
    else if (type === 'function_call_output' && typeof call === 'string')
      decisions.push({ actionId: call, output: typeof output === 'string' ? output : JSON.stringify(output) });
    else if (type === 'mcp_approval_response' && typeof asked === 'string' && typeof approve === 'boolean') {
      const given = typeof reason === 'string' ? reason : undefined;
      decisions.push({ actionId: asked, approved: approve, reason: given });
    } else if (!SENT_BACK.includes(String(type))) {
      const expected =
        'expected a message, a function_call_output or an mcp_approval_response with approve as true or false';
      throw new ApiError(400, `${place}: ${expected}`, 'input');
    }
  }
  return told.input(decisions, typeof instructions === 'string' ? instructions : '');
}

/** Returns the settings that a request asks for, for a conversation that it begins. */
export function wantedOf(body: Body, { instructions }: RequestInput): ConversationRequest {
  const { model = 'conversation' } = body;
  return { model: String(model), instructions, functions: functionsOf(body) };
}

/** Answers that clients send back are in the log. */
const SENT_BACK = ['function_call', 'reasoning', 'mcp_call', 'mcp_approval_request', 'item_reference'];

type Part = Exclude<MessagePart, string>;

/** Texts of a request, of which the newest messages of the user are new. */
export class Told {
  readonly #param: string;
  readonly #system: string[] = [];
  #earlier: string[] = [];
  #content: Part[] = [];

  /** @param param the member of the request that has them */
  constructor(param: string) {
    this.#param = param;
  }

  add(role: unknown, content: unknown, place: string): void {
    const parts = contentOf(content, place, this.#param);
    const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    if (role === 'system' || role === 'developer') this.#system.push(text);
    else if (role === 'user') this.#content.push(...parts);
    else if (role === 'assistant') {
      const asked = this.#content.flatMap((part) => (part.type === 'text' ? [`user: ${part.text}`] : []));
      this.#earlier.push(...asked, `assistant: ${text}`);
      this.#content = [];
    } else throw new ApiError(400, `${place}: expected a role, found ${JSON.stringify(role)}`, this.#param);
  }

  /** Forgets the messages so far, which the conversation has. */
  known(): void {
    this.#earlier = [];
    this.#content = [];
  }

  /**
   * Returns the input. A conversation that begins with answers of another one gets them as text. Throws {@link ApiError} 400 without a
   * message and a decision.
   */
  input(decisions: readonly Decision[], instructions = ''): RequestInput {
    const isEmpty = this.#content.length === 0;
    if (isEmpty && decisions.length === 0)
      throw new ApiError(400, 'expected a message or a decision, found nothing new', this.#param);
    const earlier: Part = { type: 'text', text: `Earlier:\n${this.#earlier.join('\n')}` };
    const content = isEmpty || this.#earlier.length === 0 ? this.#content : [earlier, ...this.#content];
    const all = [instructions, ...this.#system].filter((text) => text !== '');
    return { content, decisions, instructions: all.join('\n\n') };
  }
}

/** Returns the functions of the caller in `tools`, in the form of responses or of chat completions. */
function functionsOf({ tools }: Body): readonly OpenAIFunction[] {
  return asList(tools ?? [], 'tools').map((tool, at) => {
    const { type, function: nested } = Object(tool) as Body;
    const { name, description, parameters } = Object(nested ?? tool) as Body;
    if (type !== 'function' || typeof name !== 'string')
      throw new ApiError(400, `tools[${at}]: expected a function; other tools belong to the conversation`, 'tools');
    const schema = isJsonObject(parameters) ? parameters : { type: 'object', properties: {} };
    return { name, description: typeof description === 'string' ? description : '', parameters: schema };
  });
}

/** Returns a list of a request. Throws {@link ApiError} 400 for another value. */
export function asList(given: unknown, param: string): readonly unknown[] {
  if (Array.isArray(given)) return given as readonly unknown[];
  throw new ApiError(400, `${param}: expected a list, found ${given === undefined ? 'nothing' : typeof given}`, param);
}

function contentOf(content: unknown, place: string, param: string): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (content === null || content === undefined) return [];
  return asList(content, `${place}.content`).map((part, at): Part => {
    const { type, text, image_url: image } = Object(part) as Body;
    if (typeof text === 'string') return { type: 'text', text };
    const content = imageAt(isObject(image) ? image['url'] : image);
    if (content) return content;
    const expected = `expected a text or an image with a URL of http, https or data:image, found ${String(type)}`;
    throw new ApiError(400, `${place}.content[${at}]: ${expected}`, param);
  });
}
