import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { orNull, request } from '../../schema/objects.ts';
import { modelsResponseSchema, providersResponseSchema, verifiedModelsResponseSchema } from './llm-models.ts';

const tag = 'LLM';

/** Routes that list providers and models. */
export const modelRoutes = {
  /** Lists the providers of models. */
  listProviders: defineRoute(tag, 'GET /api/llm/providers', 'list_providers', 'List providers', {
    answer: providersResponseSchema,
  }),

  /** Lists models. */
  list: defineRoute(tag, 'GET /api/llm/models', 'list_models', 'List models', {
    query: request({ provider: orNull(z.string()) }),
    answer: modelsResponseSchema,
  }),

  /** Lists models that are known to work well, by provider. */
  listVerified: defineRoute(tag, 'GET /api/llm/models/verified', 'list_verified_models', 'List models that work well', {
    answer: verifiedModelsResponseSchema,
  }),
};
