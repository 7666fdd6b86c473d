import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import type { NoInput, Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';
import { named } from '../../schema/named.ts';
import { answer } from '../../schema/objects.ts';
import { jsonObject } from '../../schema/scalars.ts';

/** A model as OpenAI's API lists it. */
export interface OpenAiModel {
  readonly id: string;
  readonly object: 'model';
}

/** Models as OpenAI's API lists them. */
export interface OpenAiModelList {
  readonly object: 'list';
  readonly data: readonly OpenAiModel[];
}

/** The header with which a chat goes on with a conversation. */
export const OPENAI_CONVERSATION_HEADER = 'X-OpenHands-ServerConversation-ID';

const tag = 'OpenAI';

/** Lists models as OpenAI's API does. */
export const listOpenAiModels: Route<NoInput, OpenAiModelList> = defineRoute(
  tag,
  'GET /v1/models',
  'list_openai_models',
  'List models',
  {
    auth: 'bearer',
    answer: named(
      'OpenAIModelListResponse',
      answer({
        object: z.literal('list').default('list'),
        data: z.array(answer({ id: z.string(), object: z.literal('model').default('model') })),
      }),
    ),
  },
);

/** Chats as with OpenAI's API; what is asked and answered is that API's. */
export const createChatCompletion: Route<{ body: JsonObject }, JsonObject> = defineRoute(
  tag,
  'POST /v1/chat/completions',
  'create_chat_completion',
  'Chat',
  { auth: 'bearer', body: jsonObject, answer: jsonObject },
);
