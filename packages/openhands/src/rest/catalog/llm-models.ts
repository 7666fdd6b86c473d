import { z } from 'zod';
import { named } from '../../schema/named.ts';
import { answer, closedRequest, orNull, request } from '../../schema/objects.ts';
import { boolean, integer } from '../../schema/scalars.ts';

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

/** Models of a subscription. */
export interface SubscriptionModelsResponse {
  readonly vendor: string;
  readonly models: readonly string[];
}

/** The schema of {@link SubscriptionModelsResponse}. */
export const subscriptionModelsResponseSchema: z.ZodType<SubscriptionModelsResponse> = named(
  'SubscriptionModelsResponse',
  answer({
    vendor: z.string().default('openai'),
    models: z.array(z.string()),
  }),
);

/** Whether a subscription is connected. */
export interface SubscriptionStatusResponse {
  readonly vendor: string;
  readonly connected: boolean;
  readonly account_email: string | null;
  readonly expires_at: number | null;
}

/** The schema of {@link SubscriptionStatusResponse}. */
export const subscriptionStatusResponseSchema: z.ZodType<SubscriptionStatusResponse> = named(
  'SubscriptionStatusResponse',
  answer({
    vendor: z.string().default('openai'),
    connected: boolean(),
    account_email: orNull(z.string()),
    expires_at: orNull(integer()),
  }),
);

/** What a person has to do to connect a subscription. */
export interface SubscriptionDeviceStartResponse {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string | null;
  readonly expires_at: number;
  readonly interval_seconds: number;
}

/** The schema of {@link SubscriptionDeviceStartResponse}. */
export const subscriptionDeviceStartResponseSchema: z.ZodType<SubscriptionDeviceStartResponse> = named(
  'SubscriptionDeviceStartResponse',
  answer({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: orNull(z.string()),
    expires_at: integer(),
    interval_seconds: integer(),
  }),
);

/** Which connecting. */
export interface SubscriptionDevicePollRequest {
  readonly device_code: string;
}

/** The schema of {@link SubscriptionDevicePollRequest}. */
export const subscriptionDevicePollRequestSchema: z.ZodType<SubscriptionDevicePollRequest> = named(
  'SubscriptionDevicePollRequest',
  request({
    device_code: z.string(),
  }),
);

/** A connection to a provider. */
export interface ProviderConnectionResponse {
  readonly id: string;
  readonly display_name: string;
  readonly provider: string;
  readonly base_url: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly api_key_set: boolean;
}

/** The schema of {@link ProviderConnectionResponse}. */
export const providerConnectionResponseSchema: z.ZodType<ProviderConnectionResponse> = named(
  'ProviderConnectionResponse',
  answer({
    id: z.string(),
    display_name: z.string(),
    provider: z.string(),
    base_url: orNull(z.string()),
    created_at: integer(),
    updated_at: integer(),
    api_key_set: boolean().default(false),
  }),
);

/** A connection to keep. */
export interface ProviderConnectionCreateRequest {
  readonly display_name: string;
  readonly provider: string;
  readonly api_key: string;
  readonly base_url: string | null;
}

/** The schema of {@link ProviderConnectionCreateRequest}. */
export const providerConnectionCreateRequestSchema: z.ZodType<ProviderConnectionCreateRequest> = named(
  'ProviderConnectionCreateRequest',
  closedRequest({
    display_name: z.string().min(1).max(128),
    provider: z.string().min(1).max(128).default('custom'),
    api_key: z.string().min(1),
    base_url: orNull(z.string().max(2048)),
  }),
);

/** What changes of a connection; null stays. */
export interface ProviderConnectionUpdateRequest {
  readonly display_name: string | null;
  readonly provider: string | null;
  readonly api_key: string | null;
  readonly base_url: string | null;
}

/** The schema of {@link ProviderConnectionUpdateRequest}. */
export const providerConnectionUpdateRequestSchema: z.ZodType<ProviderConnectionUpdateRequest> = named(
  'ProviderConnectionUpdateRequest',
  closedRequest({
    display_name: orNull(z.string().min(1).max(128)),
    provider: orNull(z.string().min(1).max(128)),
    api_key: orNull(z.string()),
    base_url: orNull(z.string().max(2048)),
  }),
);
