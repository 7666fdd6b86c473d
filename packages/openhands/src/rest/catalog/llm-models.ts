import { z } from 'zod';
import { keptAs } from '../../schema/index.ts';

export const providersResponseSchema = keptAs('ProvidersResponse', { providers: z.array(z.string()) });

export const modelsResponseSchema = keptAs('ModelsResponse', { models: z.array(z.string()) });

/** Models that work well, by provider. */
export const verifiedModelsResponseSchema = keptAs('VerifiedModelsResponse', {
  models: z.record(z.string(), z.array(z.string())),
});
