import { REDACTED } from '@conv/core';
import { z } from 'zod';
import { absent, boolean, integer, keptAs, orNull, request, requestAs } from '../../schema/index.ts';
import { defineRoute } from '../define-route.ts';

const tag = 'Provider connections';

/** A key that is one: neither blank nor the asterisks of a hidden key. */
const key = z
  .string()
  .regex(/\S/)
  .refine((text) => text !== REDACTED, 'expected a real key, found a hidden one');
const name = z.string().min(1).max(128);

/** The key and address of a provider of models, which several profiles share. The key is never shown. */
const providerConnectionSchema = keptAs('ProviderConnectionResponse', {
  id: z.string(),
  display_name: z.string(),
  provider: z.string(),
  base_url: orNull(z.string()),
  /** Epoch seconds. */
  created_at: integer(),
  updated_at: integer(),
  api_key_set: boolean().default(false),
});

const createSchema = requestAs('ProviderConnectionCreateRequest', {
  display_name: name,
  provider: name.default('custom'),
  api_key: key,
  base_url: orNull(z.string().max(2048)),
});

const updateSchema = requestAs('ProviderConnectionUpdateRequest', {
  display_name: absent(name),
  provider: absent(name),
  api_key: absent(z.nullable(key)),
  base_url: absent(z.nullable(z.string().max(2048))),
});

const params = request({ connection_id: z.string() });
const unreadable = { 400: 'What is stored cannot be read with the key of the server.' };
const missing = { 404: 'There is no such connection.' };

/** Routes of keys and addresses of providers, which profiles of models share. */
export const providerConnectionRoutes = {
  list: defineRoute(tag, 'GET /api/llm/provider-connections', 'list_provider_connections', 'List providers of models', {
    scope: 'read',
    answer: z.array(providerConnectionSchema),
    errors: unreadable,
  }),

  create: defineRoute(
    tag,
    'POST /api/llm/provider-connections',
    'create_provider_connection',
    'Add a provider of models',
    {
      scope: 'admin',
      body: createSchema,
      success: 201,
      answer: providerConnectionSchema,
      errors: { ...unreadable, 409: 'There are as many connections as can be kept.' },
    },
  ),

  /** Changes the members that are given. Profiles use them when they are loaded next. */
  update: defineRoute(
    tag,
    'PATCH /api/llm/provider-connections/{connection_id}',
    'update_provider_connection',
    'Change a provider of models',
    {
      scope: 'admin',
      params,
      body: updateSchema,
      answer: providerConnectionSchema,
      errors: { ...unreadable, ...missing },
    },
  ),

  remove: defineRoute(
    tag,
    'DELETE /api/llm/provider-connections/{connection_id}',
    'delete_provider_connection',
    'Remove a provider of models',
    {
      scope: 'admin',
      params,
      answer: providerConnectionSchema,
      errors: { ...unreadable, ...missing, 409: 'Profiles or settings use the connection.' },
    },
  ),
};
