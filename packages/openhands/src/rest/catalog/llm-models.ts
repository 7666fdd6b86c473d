import { z } from 'zod';
import { named } from '../../schema/named.ts';
import { answer } from '../../schema/objects.ts';

/** Providers of models. */
export const providersResponseSchema = named(
  'ProvidersResponse',
  answer({
    providers: z.array(z.string()),
  }),
);

/** Models by name. */
export const modelsResponseSchema = named(
  'ModelsResponse',
  answer({
    models: z.array(z.string()),
  }),
);

/** Models that work well, by provider. */
export const verifiedModelsResponseSchema = named(
  'VerifiedModelsResponse',
  answer({
    models: z.record(z.string(), z.array(z.string())),
  }),
);
