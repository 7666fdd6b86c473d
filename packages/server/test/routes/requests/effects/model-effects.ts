import { acts, each, noOp, type Effects } from '../effect.ts';
import { built, noCritic } from './shared-effects.ts';
import { condenser, connections, describedModels, factory } from './test-files.ts';

const said = acts(describedModels, 'the settings of a stored model are sent, an effort only to models that reason');
const described = acts(factory, 'a described agent of ours is revived to the same description');
const condensed = acts(condenser, 'a stored condenser is at work again; one with the agent’s LLM shares its model');
const condensedBy = acts(condenser, 'a stored condenser acts by its own %s');
const ofProvider = 'it is stored and returned, but no provider here has such a setting';

/** Effects of the members of a model, its fallbacks, condensers and critics. */
export const MODEL_EFFECTS: Effects = {
  LLM: {
    ...each(
      [
        'model',
        'api_key',
        'base_url',
        'temperature',
        'top_p',
        'top_k',
        'seed',
        'max_output_tokens',
        'timeout',
        'stream_idle_timeout',
        'num_retries',
        'reasoning_effort',
        'extra_headers',
      ],
      said,
    ),
    usage_id: built,
    ...each(['input_cost_per_token', 'output_cost_per_token', 'disable_vision'], said),
    ...each(['api_mode', 'max_input_tokens'], described),
    fallback_strategy: acts(
      'packages/agent/test/model/sources/model-profiles.test.ts',
      'a stored agent finds the fallbacks that it names, and keeps its description',
    ),
    ...each(
      [
        'api_version',
        'auth_type',
        'aws_access_key_id',
        'aws_bedrock_runtime_endpoint',
        'aws_profile_name',
        'aws_region_name',
        'aws_role_name',
        'aws_secret_access_key',
        'aws_session_name',
        'aws_session_token',
        'openrouter_app_name',
        'openrouter_site_url',
        'ollama_base_url',
        'litellm_extra_body',
        'drop_params',
        'modify_params',
        'custom_tokenizer',
        'capability_overrides',
        'model_canonical_name',
        'force_string_serializer',
        'inline_image_urls',
        'prompt_cache_retention',
        'extended_thinking_budget',
        'reasoning_summary',
        'subscription_vendor',
      ],
      noOp(ofProvider),
    ),
    provider_connection_id: acts(
      connections,
      'a profile of a connection has the key and the address of the connection, and none of its own',
    ),
    native_tool_calling: acts(
      'apps/agent-server/test/text-calls.test.ts',
      'a model that writes its calls as text works with tools, also as a fallback and after a switch',
    ),
    disable_stop_word: acts(
      'packages/agent/test/model/text-calls/text-calls.test.ts',
      'a model is told where to stop, unless its description or its kind forbids it',
    ),
    caching_prompt: noOp('prompts are marked for caching if the provider supports marks'),
    enable_encrypted_reasoning: noOp(
      'reasoning is stored with the conversation, and sent again if the provider accepts it',
    ),
    stream: noOp('answers are streamed whenever a client follows the conversation'),
    max_message_chars: noOp('the tool and the limits of events decide the length of a result'),
    ...each(
      ['log_completions', 'log_completions_folder'],
      noOp('calls of models are counted in the conversation and traced, but not written to files'),
    ),
    ...each(
      ['retry_max_wait', 'retry_min_wait', 'retry_multiplier'],
      noOp("waits between tries follow the provider's request, or else a fixed schedule"),
    ),
  },
  FallbackStrategy: {
    fallback_llms: acts(
      'packages/agent/test/model/sources/model-profiles.test.ts',
      'a stored agent finds the fallbacks that it names, and keeps its description',
    ),
    profile_store_dir: noOp('profiles are read only from the folder of the server'),
  },
  CondenserBase: {},
  LLMSummarizingCondenser: {
    ...each(['kind', 'llm'], condensed),
    ...each(
      [
        'max_size',
        'keep_first',
        'max_tokens',
        'minimum_progress',
        'hard_context_reset_context_scaling',
        'hard_context_reset_max_retries',
      ],
      condensedBy,
    ),
  },
  NoOpCondenser: { kind: condensed },
  PipelineCondenser: each(['condensers', 'kind'], acts(condenser, 'a pipeline works with the members that are known')),
  CriticBase: {},
  AgentFinishedCritic: { '*': noOp(noCritic) },
  IterativeRefinementConfig: { '*': noOp(noCritic) },
  APIBasedCritic: { '*': noOp(noCritic) },
  EmptyPatchCritic: { '*': noOp(noCritic) },
  PassCritic: { '*': noOp(noCritic) },
};
