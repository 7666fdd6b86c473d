import { z } from 'zod';
import type { NoInput, Route } from '../route.ts';
import { defineRoute } from '../define-route.ts';
import { orNull, request } from '../../schema/objects.ts';
import { type Deleted, deletedSchema } from '../settings/settings-routes.ts';
import {
  type ModelsResponse,
  modelsResponseSchema,
  type ProviderConnectionCreateRequest,
  providerConnectionCreateRequestSchema,
  type ProviderConnectionResponse,
  providerConnectionResponseSchema,
  type ProviderConnectionUpdateRequest,
  providerConnectionUpdateRequestSchema,
  type ProvidersResponse,
  providersResponseSchema,
  type SubscriptionDevicePollRequest,
  subscriptionDevicePollRequestSchema,
  type SubscriptionDeviceStartResponse,
  subscriptionDeviceStartResponseSchema,
  type SubscriptionModelsResponse,
  subscriptionModelsResponseSchema,
  type SubscriptionStatusResponse,
  subscriptionStatusResponseSchema,
  type VerifiedModelsResponse,
  verifiedModelsResponseSchema,
} from './llm-models.ts';

/** Whose models; null: all. */
export interface ModelsQuery {
  readonly provider: string | null;
}

/** Which provider connection. */
export interface ProviderConnectionParams {
  readonly connection_id: string;
}

const tag = 'LLM';
const connection: z.ZodType<ProviderConnectionParams> = request({ connection_id: z.string() });
const noConnection = { 404: 'There is no such connection.' };

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

/** Lists the models of a ChatGPT subscription. */
export const listSubscriptionModels: Route<NoInput, SubscriptionModelsResponse> = defineRoute(
  tag,
  'GET /api/llm/subscription/openai/models',
  'list_subscription_models',
  'List models of a subscription',
  { answer: subscriptionModelsResponseSchema },
);

/** Says whether a ChatGPT subscription is connected. */
export const getSubscriptionStatus: Route<NoInput, SubscriptionStatusResponse> = defineRoute(
  tag,
  'GET /api/llm/subscription/openai/status',
  'get_subscription_status',
  'Is a subscription connected?',
  { answer: subscriptionStatusResponseSchema },
);

/** Begins to connect a ChatGPT subscription. */
export const startSubscription: Route<NoInput, SubscriptionDeviceStartResponse> = defineRoute(
  tag,
  'POST /api/llm/subscription/openai/device/start',
  'start_subscription_device_login',
  'Begin to connect a subscription',
  { answer: subscriptionDeviceStartResponseSchema },
);

/** Asks whether a person has agreed. */
export const pollSubscription: Route<{ body: SubscriptionDevicePollRequest }, SubscriptionStatusResponse> = defineRoute(
  tag,
  'POST /api/llm/subscription/openai/device/poll',
  'poll_subscription_device_login',
  'Go on connecting a subscription',
  { body: subscriptionDevicePollRequestSchema, answer: subscriptionStatusResponseSchema },
);

/** Forgets the ChatGPT subscription. */
export const removeSubscription: Route<NoInput, SubscriptionStatusResponse> = defineRoute(
  tag,
  'POST /api/llm/subscription/openai/logout',
  'logout_subscription',
  'Forget the subscription',
  { answer: subscriptionStatusResponseSchema },
);

/** Lists connections to providers: a bare array. */
export const listProviderConnections: Route<NoInput, readonly ProviderConnectionResponse[]> = defineRoute(
  tag,
  'GET /api/llm/provider-connections',
  'list_provider_connections',
  'List connections to providers',
  { answer: z.array(providerConnectionResponseSchema) },
);

/** Keeps a connection to a provider. */
export const addProviderConnection: Route<{ body: ProviderConnectionCreateRequest }, ProviderConnectionResponse> =
  defineRoute(
    tag,
    'POST /api/llm/provider-connections',
    'create_provider_connection',
    'Keep a connection to a provider',
    { body: providerConnectionCreateRequestSchema, success: 201, answer: providerConnectionResponseSchema },
  );

/** Changes a connection to a provider. */
export const updateProviderConnection: Route<
  { params: ProviderConnectionParams; body: ProviderConnectionUpdateRequest },
  ProviderConnectionResponse
> = defineRoute(
  tag,
  'PATCH /api/llm/provider-connections/{connection_id}',
  'update_provider_connection',
  'Change a connection to a provider',
  {
    params: connection,
    body: providerConnectionUpdateRequestSchema,
    answer: providerConnectionResponseSchema,
    errors: noConnection,
  },
);

/** Forgets a connection to a provider. */
export const removeProviderConnection: Route<{ params: ProviderConnectionParams }, Deleted> = defineRoute(
  tag,
  'DELETE /api/llm/provider-connections/{connection_id}',
  'delete_provider_connection',
  'Forget a connection to a provider',
  { params: connection, answer: deletedSchema, errors: noConnection },
);
