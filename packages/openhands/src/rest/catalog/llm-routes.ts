import { z } from 'zod';
import type { NoInput, Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';
import { orNull, request } from '../../schema/objects.ts';
import {
  type ModelsResponse,
  modelsResponseSchema,
  type ProvidersResponse,
  providersResponseSchema,
  type VerifiedModelsResponse,
  verifiedModelsResponseSchema,
} from './llm-models.ts';

/** Whose models; null: all. */
export interface ModelsQuery {
  readonly provider: string | null;
}

const tag = 'LLM';

/** Lists the providers of models. */
export const listProviders: Route<NoInput, ProvidersResponse> = defineRoute(
  tag,
  'GET /api/llm/providers',
  'list_providers',
  'List providers',
  { answer: providersResponseSchema },
);

/** Lists models. */
export const listModels: Route<{ query: ModelsQuery }, ModelsResponse> = defineRoute(
  tag,
  'GET /api/llm/models',
  'list_models',
  'List models',
  { query: request({ provider: orNull(z.string()) }), answer: modelsResponseSchema },
);

/** Lists models that are known to work well, by provider. */
export const listVerifiedModels: Route<NoInput, VerifiedModelsResponse> = defineRoute(
  tag,
  'GET /api/llm/models/verified',
  'list_verified_models',
  'List models that work well',
  { answer: verifiedModelsResponseSchema },
);
