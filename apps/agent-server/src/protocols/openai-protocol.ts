import type { Conversation } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { OpenAIFunction, OpenAIHandlerOptions } from '@conv/openai';
import type { ServedProtocol, WantedConversation } from '@conv/server/protocols';

/** The header by which clients of OpenHands' server choose the conversation of a chat, and by which each answer names its conversation. */
const CONVERSATION = 'x-openhands-serverconversation-id';

/** The API of OpenAI, with the models of the server, and with the header of OpenHands' server. */
export function openAIProtocol(onError: (error: unknown) => void): ServedProtocol {
  return {
    name: 'openai',
    paths: ['/v1/*'],
    handler: async ({ open, create, models }) => {
      const { createOpenAIHandler } = await import('@conv/openai');
      return async (request) => {
        const { pathname } = new URL(request.url);
        let answering: string | undefined;
        const noted = async (opening: Promise<Conversation>): Promise<Conversation> => {
          const conversation = await opening;
          answering = conversation.id;
          return conversation;
        };
        const options: OpenAIHandlerOptions = {
          conversation: (id) => noted(open(id, request)),
          create: ({ model, instructions, functions }) =>
            noted(create({ model, instructions, clientTools: functions.map(toClientTool) }, request)),
          ...(/\/models(?:\/|$)/.test(pathname) ? { models: await models() } : {}),
          onError,
        };
        const id = request.headers.get(CONVERSATION);
        const chat = id !== null && pathname.endsWith('/chat/completions') ? await namedChat(id, request) : undefined;
        const named = chat && { conversation: () => noted(create(chat.wanted, request)) };
        const answer = await createOpenAIHandler({ ...options, ...named })(chat?.named ?? request);
        if (answering !== undefined) answer.headers.set(CONVERSATION, answering);
        return answer;
      };
    },
  };
}

function toClientTool({ name, description, parameters }: OpenAIFunction) {
  return { name, description: description || name, parameters, answers: 'caller' as const };
}

/** Resolves with a chat that continues the conversation with the id, and with the conversation to make if there is none. */
async function namedChat(
  id: string,
  request: Request,
): Promise<{ readonly named: Request; readonly wanted: WantedConversation }> {
  const { url, method, headers, signal } = request;
  const sent = await request.text();
  const body = parsed(sent);
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  const changed = JSON.stringify({ ...body, metadata: { ...metadata, conversation: id } });
  const isChat = Array.isArray(body['messages']);
  const named = new Request(url, { method, headers, signal, body: isChat ? changed : sent });
  return { named, wanted: { id, ...wantedIn(body) } };
}

/** Returns the model, the system messages and the functions of a chat. */
function wantedIn({ model, messages, tools }: Readonly<Record<string, unknown>>): WantedConversation {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
  const said = list(messages).filter((message) => ['system', 'developer'].includes(String(Object(message).role)));
  const texts = said.flatMap((message) => {
    const content: unknown = Object(message).content;
    return typeof content === 'string' ? [content] : [];
  });
  const functions = list(tools).flatMap((tool) => {
    const { name, description, parameters } = Object(Object(tool).function) as Readonly<Record<string, unknown>>;
    const schema = isJsonObject(parameters) ? parameters : { type: 'object', properties: {} };
    const told = typeof description === 'string' ? description : '';
    return typeof name === 'string' ? [toClientTool({ name, description: told, parameters: schema })] : [];
  });
  const named = typeof model === 'string' ? { model } : {};
  return { ...named, instructions: texts.join('\n\n'), clientTools: functions };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : {};
  } catch {
    return {};
  }
}
