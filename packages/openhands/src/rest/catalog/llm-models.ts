import { z } from 'zod';
import { named } from '../../schema/named.ts';
import { answer } from '../../schema/objects.ts';

/** Providers of models. */
export interface ProvidersResponse {
  readonly providers: readonly string[];
}

/** The schema of {@link ProvidersResponse}. */
export const providersResponseSchema: z.ZodType<ProvidersResponse> = named(
  'ProvidersResponse',
  answer({
    providers: z.array(z.string()),
  }),
);

/** Models by name. */
export interface ModelsResponse {
  readonly models: readonly string[];
}

/** The schema of {@link ModelsResponse}. */
export const modelsResponseSchema: z.ZodType<ModelsResponse> = named(
  'ModelsResponse',
  answer({
    models: z.array(z.string()),
  }),
);

/** Models that work well, by provider. */
export interface VerifiedModelsResponse {
  readonly models: Readonly<Record<string, readonly string[]>>;
}

/** The schema of {@link VerifiedModelsResponse}. */
export const verifiedModelsResponseSchema: z.ZodType<VerifiedModelsResponse> = named(
  'VerifiedModelsResponse',
  answer({
    models: z.record(z.string(), z.array(z.string())),
  }),
);
