import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { orNull, request } from '../../schema/index.ts';
import { modelsResponseSchema, providersResponseSchema, verifiedModelsResponseSchema } from './llm-models.ts';

const tag = 'LLM';

/** Routes that list providers and models. */
export const modelRoutes = {
  listProviders: defineRoute(tag, 'GET /api/llm/providers', 'list_providers', 'List providers', {
    scope: 'read',
    answer: providersResponseSchema,
  }),

  list: defineRoute(tag, 'GET /api/llm/models', 'list_models', 'List models', {
    scope: 'read',
    query: request({ provider: orNull(z.string()) }),
    answer: modelsResponseSchema,
  }),

  listVerified: defineRoute(tag, 'GET /api/llm/models/verified', 'list_verified_models', 'List models that work well', {
    scope: 'read',
    answer: verifiedModelsResponseSchema,
  }),
};
