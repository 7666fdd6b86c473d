import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { named } from '../schema/named.ts';
import { described } from '../schema/objects.ts';
import { boolean, integer, jsonObject, number } from '../schema/scalars.ts';

/** Which profiles take over when a model fails. */
const llmFallbackSchema = named(
  'FallbackStrategy',
  described({
    fallback_llms: z.array(z.string()),
    profile_store_dir: absent(z.nullable(z.string())),
  }),
);

/** A model and how it is called. Secrets are plain, `gAAAA…` ciphertext, `**********` or null, as the channel has them. */
export const llmDescriptionSchema = named(
  'LLM',
  described({
    api_key: absent(z.nullable(z.string())),
    api_mode: absent(z.enum(['auto', 'chat', 'responses']), 'auto'),
    api_version: absent(z.nullable(z.string())),
    auth_type: absent(z.enum(['api_key', 'subscription']), 'api_key'),
    aws_access_key_id: absent(z.nullable(z.string())),
    aws_bedrock_runtime_endpoint: absent(z.nullable(z.string())),
    aws_profile_name: absent(z.nullable(z.string())),
    aws_region_name: absent(z.nullable(z.string())),
    aws_role_name: absent(z.nullable(z.string())),
    aws_secret_access_key: absent(z.nullable(z.string())),
    aws_session_name: absent(z.nullable(z.string())),
    aws_session_token: absent(z.nullable(z.string())),
    base_url: absent(z.nullable(z.string())),
    caching_prompt: absent(boolean(), true),
    capability_overrides: absent(z.record(z.string(), z.union([boolean(), z.string()]))),
    custom_tokenizer: absent(z.nullable(z.string())),
    disable_stop_word: absent(z.nullable(boolean()), false),
    disable_vision: absent(z.nullable(boolean())),
    drop_params: absent(boolean(), true),
    enable_encrypted_reasoning: absent(boolean(), true),
    extended_thinking_budget: absent(z.nullable(integer()), 200000),
    extra_headers: absent(z.nullable(z.record(z.string(), z.string()))),
    fallback_strategy: absent(z.nullable(llmFallbackSchema)),
    force_string_serializer: absent(z.nullable(boolean())),
    inline_image_urls: absent(z.nullable(boolean())),
    input_cost_per_token: absent(z.nullable(number({ minimum: 0 }))),
    litellm_extra_body: absent(jsonObject),
    log_completions: absent(boolean(), false),
    log_completions_folder: absent(z.string(), 'logs/completions'),
    max_input_tokens: absent(z.nullable(integer({ minimum: 1 }))),
    max_message_chars: absent(integer({ minimum: 1 }), 30000),
    max_output_tokens: absent(z.nullable(integer({ minimum: 1 }))),
    model: absent(z.string(), 'gpt-5.5'),
    model_canonical_name: absent(z.nullable(z.string())),
    modify_params: absent(boolean(), true),
    native_tool_calling: absent(boolean(), true),
    num_retries: absent(integer({ minimum: 0 }), 5),
    ollama_base_url: absent(z.nullable(z.string())),
    openrouter_app_name: absent(z.string(), 'OpenHands'),
    openrouter_site_url: absent(z.string(), 'https://docs.all-hands.dev/'),
    output_cost_per_token: absent(z.nullable(number({ minimum: 0 }))),
    prompt_cache_retention: absent(z.nullable(z.string()), '24h'),
    provider_connection_id: absent(z.nullable(z.string())),
    reasoning_effort: absent(z.nullable(z.enum(['low', 'medium', 'high', 'xhigh', 'none'])), 'high'),
    reasoning_summary: absent(z.nullable(z.enum(['auto', 'concise', 'detailed']))),
    retry_max_wait: absent(integer({ minimum: 0 }), 64),
    retry_min_wait: absent(integer({ minimum: 0 }), 8),
    retry_multiplier: absent(number({ minimum: 0 }), 8),
    seed: absent(z.nullable(integer())),
    stream: absent(boolean(), false),
    subscription_vendor: absent(z.nullable(z.literal('openai'))),
    temperature: absent(z.nullable(number({ minimum: 0 }))),
    timeout: absent(z.nullable(integer({ minimum: 0 })), 300),
    top_k: absent(z.nullable(number({ minimum: 0 }))),
    top_p: absent(z.nullable(number({ minimum: 0, maximum: 1 }))),
    usage_id: absent(z.string(), 'default'),
  }),
);
