import { acts, each, noOp, refused, type Effects } from './effect.ts';

const start = 'apps/agent-server/test/start-requests.test.ts';
const members = 'apps/agent-server/test/request-members.test.ts';
const program = 'apps/agent-server/test/program.long.test.ts';
const starting = 'packages/server/test/conversations/start.test.ts';
const change = 'packages/server/test/routes/change.test.ts';
const settings = 'packages/server/test/routes/settings.test.ts';
const runs = 'packages/server/test/routes/runs.test.ts';
const find = 'packages/server/test/conversations/find.test.ts';
const past = 'packages/server/test/routes/past.test.ts';
const clientTools = 'packages/server/test/conversations/client-tools.test.ts';
const goals = 'packages/server/test/routes/goals.test.ts';
const events = 'packages/server/test/routes/events.test.ts';
const keepRoutes = 'packages/server/test/routes/settings-store.test.ts';
const settingsStore = 'packages/server/test/settings/settings-store.test.ts';
const catalog = 'packages/server/test/routes/catalog.test.ts';
const workspaceHost = 'packages/server/test/routes/workspace-host.test.ts';
const bash = 'packages/server/test/workspace/bash-service.test.ts';
const git = 'packages/server/test/workspace/git.test.ts';
const archive = 'packages/server/test/workspace/archive.test.ts';
const factory = 'packages/agent/test/assembly/agent-factory.test.ts';
const providers = 'packages/agent/test/tools/providers.test.ts';
const agentTest = 'packages/agent/test/assembly/agent.test.ts';
const skills = 'packages/agent/test/skills/agent-skills.test.ts';
const enrich = 'packages/agent/test/skills/enrich.test.ts';
const loadSkills = 'packages/agent/test/skills/load-skills.test.ts';
const pathRules = 'packages/agent/test/skills/path-rules.test.ts';
const condenser = 'packages/agent/test/condensers/revive-condenser.test.ts';
const analyzers = 'packages/agent/test/security/analyzers.test.ts';
const mcpProcess = 'packages/tools/test/mcp/processes.long.test.ts';
const mcpConfig = 'packages/tools/test/mcp/config.test.ts';
const mcpHttp = 'packages/tools/test/mcp/http.long.test.ts';
const routeAgents = 'apps/agent-server/test/routes/agents.test.ts';
const routeMessages = 'apps/agent-server/test/routes/messages.test.ts';
const hookForms = 'packages/openhands/test/descriptions/hook-config.test.ts';

const built = acts(factory, 'agent_context, mcp_config, condenser, tools and usage_id of a stored agent are at work');
const said = acts(factory, 'the settings of a stored model are sent, an effort only to models that reason');
const described = acts(factory, 'a described agent of ours is revived to the same description');
const acted = acts(
  starting,
  'has the workspace, tags, policy, analyzer, limit and stuck detection of the request, and acts on them',
);
const shown = acts(starting, 'tells of every member of the protocol, of no secret, and of skills when asked');
const heard = acts(start, 'with what real clients send by default is taken');
const madeOf = acts(settings, 'of policy and analyzer hold at once, and are told of');
const toModel = acts(
  settings,
  'of the model come from the request or a profile; the builder of the model gets plain secrets',
);
const condensed = acts(condenser, 'a stored condenser is at work again; one with the agent’s LLM shares its model');
const condensedBy = acts(condenser, 'a stored condenser acts by its own %s');
const pages = acts(find, 'page by page, in each order, sees each one once');
const found = acts(events, 'are found by kind, short or dotted, by source, by words and by time');
const listed = acts(events, 'are listed page by page in the order of the log and against it');
const foundBash = acts(members, 'each member of a search for events of commands narrows it');
const kept = acts(keepRoutes, 'are kept, shown as asked for, activated into the settings, renamed and removed');
const folders = acts(keepRoutes, 'folders that clients work in are listed, added and removed');
const mcp = acts(
  mcpProcess,
  'works in the folder of the conversation, with what its configuration says and little else of our variables',
);
const credentials = acts(
  mcpConfig,
  'names what must not show: variables, headers and credentials, but neither words, paths nor references',
);
const storedSecret = acts(
  'packages/secrets/test/stored-secrets.test.ts',
  'P6: state holds names and ciphertext, in the objects of the wire',
);
const chosenSkills = acts(
  catalog,
  'clients are told of the skills and hooks of a project, and of what is wrong with them',
);
const commandHooks = acts(start, 'P13: with hooks that have %s is refused with the place');
const hookKinds = acts(start, 'with hooks of %s is taken');

const ofProvider = 'it is stored and returned, but no provider here has such a setting';
const ofPython = 'it names code or templates of a Python process, which this server does not load';
const ofSkill = 'it is stored and returned for other readers of the skill';
const ofMarketplace = 'this server has no marketplace';
const notBuilt = 'this server does not support agents of this kind';
const noCritic = 'it is stored and returned, but no critic rates answers here';
const noDefinitions = 'this server does not accept definitions of agents';

/** Effects of each member of each request, by the component of the OpenAPI document, or by the route for members of its query. */
export const EFFECTS: Effects = {
  StartConversationRequest: {
    workspace: acted,
    agent: shown,
    agent_settings: acts(starting, 'of agent settings builds the agent that they describe'),
    agent_profile_id: acts(
      start,
      'agent_profile_id brings the agent of a profile, excludes another one and is 404 when unknown',
    ),
    conversation_id: acts(starting, 'of an id that is taken answers 200 with the stored conversation'),
    initial_message: acts(starting, 'with a first message runs it, gives it a title and tells of the answer'),
    max_iterations: acted,
    max_budget_per_run: acts(start, 'with limits has them'),
    max_budget: acts(start, 'with limits has them'),
    tool_timeout: acts(start, 'with limits has them'),
    stuck_detection: acted,
    stuck_detection_thresholds: acts(
      program,
      'thresholds for loops are taken as clients write them, and refused when they are none',
    ),
    confirmation_policy: acted,
    security_analyzer: acted,
    secrets: acts(
      settings,
      'secrets that a client sends encrypted are read with the key of the server, and with no other',
    ),
    secrets_encrypted: acts(
      settings,
      'secrets that a client sends encrypted are read with the key of the server, and with no other',
    ),
    worktree: acts(
      start,
      'with worktree has the agent work in a checkout of its own, where clients may look, and it goes with the conversation',
    ),
    parent_conversation_id: acts(starting, 'for a parent says so on both, and refuses itself and another workspace'),
    tool_module_qualnames: noOp(
      "it names Python modules, and is stored for OpenHands' servers that open the conversation",
    ),
    client_tools: acts(clientTools, 'a tool of the client is acknowledged at once, and told of as it was given'),
    agent_definitions: refused(noDefinitions, start, 'that needs plugins or definitions of agents is refused by name'),
    agent_launch_additions: acts(start, 'agent_launch_additions and system_prompt stand in the prompt of the agent'),
    plugins: refused(
      'this server loads no plugins',
      start,
      'that needs plugins or definitions of agents is refused by name',
    ),
    hook_config: hookKinds,
    tags: acted,
    user_id: noOp('it is stored with the conversation for other readers, because this server has no users'),
    ...each(
      ['observability_metadata', 'observability_tags', 'observability_span_name'],
      noOp('it is stored with the conversation; traces of this server name conversations only by their id'),
    ),
    autotitle: acts(members, 'autotitle: false leaves a conversation without a title'),
    title_llm_profile: acts(
      start,
      'with title_llm_profile has its title made by that model, and without one the beginning of the message',
    ),
  },
  ACPAgent: { '*': refused(notBuilt, factory, 'an agent of another kind is not known here') },
  ACPFileSecretSpec: { '*': refused(notBuilt, factory, 'an agent of another kind is not known here') },
  Agent: {
    agent_context: built,
    condenser: built,
    critic: noOp(noCritic),
    filter_tools_regex: acts(
      providers,
      'the pattern of a description decides which tools are offered, built-in tools aside',
    ),
    include_default_tools: built,
    kind: built,
    llm: built,
    mcp_config: built,
    security_policy_filename: noOp(ofPython),
    system_prompt: acts(start, 'agent_launch_additions and system_prompt stand in the prompt of the agent'),
    system_prompt_filename: noOp(ofPython),
    system_prompt_kwargs: noOp(ofPython),
    tool_concurrency_limit: acts(
      agentTest,
      'one call at a time unless the agent says more, as an option or in what it is described by',
    ),
    tools: acts(start, 'for tools that are missing here is accepted, and info and log name the missing tools'),
  },
  openhands__sdk__tool__spec__Tool: { name: built, params: built },
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
        'disable_stop_word',
        'force_string_serializer',
        'inline_image_urls',
        'prompt_cache_retention',
        'extended_thinking_budget',
        'reasoning_summary',
        'provider_connection_id',
        'subscription_vendor',
      ],
      noOp(ofProvider),
    ),
    native_tool_calling: refused(
      "tool calls always use the provider's form, never text, so false is refused",
      start,
      'whose LLM has native_tool_calling false is refused by name, wherever the LLM stands',
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
  AgentContext: {
    load_memory: acts(start, 'with load_memory tells the agent what earlier conversations wrote down'),
    skills: acts(skills, 'an agent built from its description, or with only described skills, has the same prompt'),
    disabled_skills: acts(
      skills,
      'a stored skill that is disabled, or whose trigger a newer program made up, is kept and stays out of the prompt',
    ),
    system_message_suffix: built,
    user_message_suffix: acts(
      enrich,
      'it is described, and an agent built from that, or with another model, adds the same',
    ),
    secrets: acts(
      'packages/secrets/test/lent-secrets.test.ts',
      'P9: reach the process that names them, are masked, and are not stored',
    ),
    current_datetime: noOp('the prompt always contains the date'),
    memory_context: noOp('a server fills this member from its memory files, so the value of a client is ignored'),
    ...each(
      ['load_user_skills', 'load_project_skills', 'load_public_skills'],
      noOp('clients get the skills of folders from POST /api/skills, and send the chosen ones'),
    ),
    ...each(['marketplace_path', 'registered_marketplaces'], noOp(ofMarketplace)),
  },
  MarketplaceRegistration: { '*': noOp(ofMarketplace) },
  SecretSource: {},
  LookupSecret: {
    description: storedSecret,
    ...each(
      ['headers', 'kind', 'url'],
      acts(
        'packages/secrets/test/secret-lookups.test.ts',
        'P9: the value is asked for with the headers when it is named, and masked before it is handed out',
      ),
    ),
  },
  StaticSecret: each(['description', 'kind', 'value'], storedSecret),
  Skill: {
    ...each(
      ['content', 'name', 'description', 'trigger', 'source', 'is_agentskills_format'],
      acts(skills, 'skills are described in the shapes of the wire, without nulls'),
    ),
    inputs: acts(loadSkills, 'a skill with inputs is a task, also triggered by its name as a command; paths are kept'),
    disable_model_invocation: acts(
      skills,
      'a stored skill that is disabled, or whose trigger a newer program made up, is kept and stays out of the prompt',
    ),
    ...each(['allowed_tools', 'compatibility', 'license', 'metadata', 'version'], noOp(ofSkill)),
    mcp_tools: noOp("the agent's MCP servers are used instead"),
    resources: noOp('the model reads files beside a skill with its own tools'),
  },
  InputMetadata: each(
    ['description', 'name'],
    acts(loadSkills, 'a skill with inputs is a task, also triggered by its name as a command; paths are kept'),
  ),
  SkillResources: { '*': noOp('the model reads files beside a skill with its own tools') },
  KeywordTrigger: each(
    ['keywords', 'type'],
    acts(skills, 'skills are described in the shapes of the wire, without nulls'),
  ),
  TaskTrigger: each(
    ['triggers', 'type'],
    acts(skills, 'skills are described in the shapes of the wire, without nulls'),
  ),
  PathTrigger: each(
    ['paths', 'type'],
    acts(
      pathRules,
      'are read from front matter as a list or a line, whatever else it says, and a stored agent has them again',
    ),
  ),
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
  MCPServer: {
    ...each(['args', 'command', 'cwd', 'env'], mcp),
    ...each(['url', 'headers'], acts(mcpHttp, 'of %j reach the server with every request')),
    transport: acts(
      'packages/tools/test/mcp/redirects.test.ts',
      'P9: keys of an MCP server do not follow its redirect to another origin (%s)',
    ),
    auth: credentials,
    enabled: acts(mcpConfig, 'whose servers are all disabled has no tools'),
    timeout: acts('packages/tools/test/mcp/calls.long.test.ts', 'of one server can be another'),
    ...each(['description', 'icon'], noOp('it is stored for display in settings')),
    ...each(
      ['keep_alive', 'sse_read_timeout'],
      noOp('connections last as long as the conversation, and are renewed if they break'),
    ),
  },
  MCPNoneAuthCredential: { strategy: credentials },
  MCPApiKeyAuthCredential: {
    header_name: acts(mcpHttp, 'of %j reach the server with every request'),
    ...each(['strategy', 'value'], credentials),
  },
  MCPBearerAuthCredential: each(['strategy', 'value'], credentials),
  MCPBasicAuthCredential: each(['password', 'strategy', 'username'], credentials),
  MCPHeaderAuthCredential: each(['headers', 'strategy'], credentials),
  MCPOAuthAuthCredential: {
    '*': refused(
      'a server with oauth2 is refused when the agent starts',
      mcpConfig,
      'with oauth2 rejects UNSUPPORTED that names the server, unless that is disabled',
    ),
  },
  MCPOAuthAuthentication: {
    '*': refused(
      'a server with oauth2 is refused when the agent starts',
      mcpConfig,
      'with oauth2 rejects UNSUPPORTED that names the server, unless that is disabled',
    ),
  },
  MCPOAuthState: {
    '*': refused(
      'a server with oauth2 is refused when the agent starts',
      mcpConfig,
      'with oauth2 rejects UNSUPPORTED that names the server, unless that is disabled',
    ),
  },
  MCPOAuthClientInfoState: {
    '*': refused(
      'a server with oauth2 is refused when the agent starts',
      mcpConfig,
      'with oauth2 rejects UNSUPPORTED that names the server, unless that is disabled',
    ),
  },
  MCPOAuthTokenState: {
    '*': refused(
      'a server with oauth2 is refused when the agent starts',
      mcpConfig,
      'with oauth2 rejects UNSUPPORTED that names the server, unless that is disabled',
    ),
  },
  MCPServerPatch: {
    '*': acts(members, 'each member of a change of an MCP server is kept, and null takes it away'),
    disabled: acts(keepRoutes, 'take disabled in a change of one MCP server, and keep enabled'),
  },
  SendMessageRequest: {
    role: acts(events, 'of the assistant'),
    content: acts(members, 'content of a message reaches the model, image_urls too'),
    run: acts(runs, 'is begun by a message that asks for it alone'),
    sender: acts(runs, 'is begun by a message that asks for it alone'),
  },
  ContentPart: {},
  TextContent: {
    type: heard,
    text: acts(runs, 'answers a message that comes while it is on'),
    cache_prompt: noOp('the cached part of a prompt is chosen when the prompt is sent'),
  },
  ImageContent: {
    type: heard,
    image_urls: acts(members, 'content of a message reaches the model, image_urls too'),
    cache_prompt: noOp('the cached part of a prompt is chosen when the prompt is sent'),
  },
  AlwaysConfirm: { kind: madeOf },
  ConfirmRisky: each(
    ['kind', 'threshold', 'confirm_unknown'],
    acts(
      'packages/core/test/contract/safeguards/confirmation-policy.test.ts',
      'a description is completed with defaults, and a wrong one is refused by name',
    ),
  ),
  NeverConfirm: { kind: acted },
  KnownSecurityAnalyzer: {},
  PatternSecurityAnalyzer: each(
    ['kind', 'high_patterns', 'injection_high_patterns', 'injection_medium_patterns', 'medium_patterns'],
    acts(analyzers, 'patterns of a description among %s are looked for and rated %s'),
  ),
  PolicyRailSecurityAnalyzer: { kind: acts(analyzers, 'look at what runs alone') },
  EnsembleSecurityAnalyzer: each(
    ['analyzers', 'kind', 'propagate_unknown'],
    acts(analyzers, 'a described ensemble asks its analyzers, and propagate_unknown decides about UNKNOWN: %s'),
  ),
  GraySwanAnalyzer: {
    '*': noOp('the kind is stored but asks no service, so every action that it would rate counts as HIGH'),
  },
  LLMSecurityAnalyzer: { kind: madeOf },
  ToolShieldLLMSecurityAnalyzer: {
    '*': noOp('the kind is stored but asks no model, so every action that it would rate counts as HIGH'),
  },
  ClientToolSpec: each(
    ['annotations', 'description', 'name', 'parameters'],
    acts(members, 'annotations of a client tool are told, and is_error of its answer is an error that the model reads'),
  ),
  openhands__sdk__tool__tool__ToolAnnotations: {
    readOnlyHint: acts(
      'packages/openhands/test/client-tools/client-tool.test.ts',
      'passes on the annotations of its caller, and adds none',
    ),
    ...each(
      ['destructiveHint', 'idempotentHint', 'openWorldHint', 'title'],
      noOp('it is stored with the tool and shown to clients'),
    ),
  },
  AgentDefinition: {
    '*': refused(noDefinitions, start, 'that needs plugins or definitions of agents is refused by name'),
  },
  RequestedHookConfig: {
    ...each(
      ['session_end', 'session_start', 'stop', 'user_prompt_submit'],
      acts(members, 'hooks of session_start, user_prompt_submit, stop and session_end run at their moments'),
    ),
    ...each(
      ['post_tool_use', 'pre_tool_use'],
      acts('packages/hooks/test/environment.test.ts', 'pre_tool_use and post_tool_use run around the calls of a tool'),
    ),
  },
  RequestedHookMatcher: { hooks: commandHooks, matcher: commandHooks },
  RequestedHookDefinition: {
    command: commandHooks,
    timeout: commandHooks,
    async: acts(hookForms, 'a configuration of hooks with %s is refused at its place'),
    name: acts('packages/hooks/test/config.test.ts', 'kinds that cannot run here are kept with all they say'),
    prompt: hookKinds,
    system_prompt: hookKinds,
    type: hookKinds,
    ...each(['max_iterations', 'tools'], noOp('it is stored; a hook that would run an agent fails with the reason')),
  },
  AgentLaunchAdditions: {
    system_message_suffix_append: acts(
      start,
      'agent_launch_additions and system_prompt stand in the prompt of the agent',
    ),
  },
  PluginSource: {
    '*': refused(
      'this server loads no plugins',
      start,
      'that needs plugins or definitions of agents is refused by name',
    ),
  },
  UpdateConversationRequest: each(
    ['title', 'tags'],
    acts(change, 'sets title and tags, and leaves what is null or absent'),
  ),
  ForkConversationRequest: {
    reset_metrics: acts(members, 'reset_metrics: false has a fork go on counting'),
    ...each(
      ['id', 'title', 'tags', 'from_event_id'],
      acts(change, 'forks it, whole or up to an event, and says where from'),
    ),
  },
  NavigateConversationRequest: { event_id: acts(change, 'goes on from another event') },
  RunConversationRequest: { max_iterations: acts(start, 'max_iterations of a run ends that run') },
  UpdateSecretsRequest: {
    secrets: acts(start, 'secrets reach the command that names them, and removed_secrets takes them away'),
  },
  SetConfirmationPolicyRequest: { policy: madeOf },
  SetSecurityAnalyzerRequest: { security_analyzer: madeOf },
  SwitchProfileRequest: { profile_name: toModel },
  SwitchLlmRequest: { llm: toModel },
  SwitchAcpModelRequest: {
    model: refused(
      'conversations on this server have no ACP agents',
      settings,
      'that this server does not have are refused and change nothing',
    ),
  },
  LoadPluginRequest: {
    plugin_ref: refused(
      'this server loads no plugins',
      settings,
      'that this server does not have are refused and change nothing',
    ),
  },
  StartGoalRequest: {
    objective: acts(goals, 'a goal is worked on round by round without its client, as one run'),
    max_iterations: acts(goals, 'a goal ends after max_iterations rounds, whatever the judge says'),
  },
  ChangeSettingsRequest: {
    damage_confirmed: acts(settings, 'P4: damage_confirmed ends the distrust of the settings, and only true does'),
    ...each(
      ['max_iterations', 'max_budget_per_run', 'max_budget', 'tool_timeout', 'stuck_detection', 'title'],
      acts(start, 'each setting of a conversation can be changed'),
    ),
    removed_secrets: acts(start, 'secrets reach the command that names them, and removed_secrets takes them away'),
  },
  AskAgentRequest: {
    question: acts(settings, 'P8: a side question is answered and changes nothing; a blank one is refused'),
  },
  ConfirmationResponseRequest: {
    accept: acts(runs, 'are run when they are accepted'),
    reason: acts(runs, 'are answered with the reason when they are rejected, and nothing runs'),
  },
  ApproveRequest: { action_ids: acts(runs, 'are approved one by one: exactly those run, and the others wait on') },
  RejectRequest: {
    action_ids: acts(runs, 'are approved one by one: exactly those run, and the others wait on'),
    reason: acts(runs, 'are approved one by one: exactly those run, and the others wait on'),
  },
  AnswerCallRequest: each(
    ['action_id', 'content', 'is_error'],
    acts(members, 'annotations of a client tool are told, and is_error of its answer is an error that the model reads'),
  ),
  ExecuteBashRequest: {
    command: acts(bash, 'runs a command and answers with its exit code and both of its streams'),
    cwd: acts(bash, 'runs in the folder that is named, else in that of the server'),
    timeout: acts(bash, 'kills a command, and what it started, when its time is up: exit code -1'),
  },
  UpdateSettingsRequest: {
    ...each(
      ['agent_settings_diff', 'conversation_settings_diff', 'misc_settings_diff'],
      acts(settingsStore, 'are merged member by member, kept across a restart, and secret in the file'),
    ),
    active_profile: acts(start, 'take the model of the profile that becomes the active one'),
    active_agent_profile_id: acts(keepRoutes, 'begin with one, and say what they come to'),
  },
  SecretCreateRequest: each(
    ['name', 'value', 'description'],
    acts(keepRoutes, 'are kept, listed without values, handed out as text and forgotten'),
  ),
  SaveProfileRequest: {
    llm: kept,
    include_secrets: acts(members, 'include_secrets: false keeps a profile without its key'),
  },
  RenameProfileRequest: { new_name: kept },
  ValidateProfileRequest: { llm: acts(start, 'the check of a profile asks its model') },
  AgentProfile: {
    ...each(['llm_profile_ref', 'mcp_server_refs'], acts(keepRoutes, 'begin with one, and say what they come to')),
    ...each(
      ['system_message_suffix', 'disabled_skills', 'tool_concurrency_limit'],
      acts(
        routeAgents,
        'an agent profile has its own system_message_suffix, disabled_skills and tool_concurrency_limit',
      ),
    ),
    tools: acts(routeAgents, '%s: the agent has the tools that are listed, and no others'),
    agent_kind: acts(start, 'P13: an agent profile that %s is refused'),
    acp_server: refused(notBuilt, factory, 'an agent of another kind is not known here'),
  },
  AgentSettings: {
    ...each(
      ['agent_kind', 'enable_sub_agents', 'enable_switch_llm_tool', 'tool_concurrency_limit', 'condenser'],
      acts(
        routeAgents,
        'each member of settings of an agent acts: enable_sub_agents, enable_switch_llm_tool, tool_concurrency_limit, condenser',
      ),
    ),
    ...each(
      ['llm', 'tools', 'mcp_config', 'agent_context'],
      acts(routeAgents, '%s: the agent is described by the parts that it was sent'),
    ),
    schema_version: noOp('members are read by name, in settings of any version'),
    agent: noOp('there is only one kind of agent besides ACP agents'),
    verification: noOp('no critic rates answers here'),
  },
  ConversationSettings: {
    '*': noOp('it is stored and returned; clients send the settings that they need when they start a conversation'),
  },
  AuthFrame: each(
    ['type', 'session_api_key'],
    acts(routeMessages, 'WS %s: session_api_key of the first frame opens the socket, and a wrong one closes it'),
  ),
  MessageFrame: {
    role: acts(routeMessages, 'WS %s: a message frame of another role than user is refused'),
    content: acts(routeMessages, '%s: text and image_urls of the content reach the model'),
  },
  SkillsRequest: {
    ...each(
      ['load_user', 'load_project', 'project_dir'],
      acts(members, 'load_user and load_project choose which skills are listed'),
    ),
    ...each(
      ['load_public', 'load_org', 'org_config'],
      noOp('public skills and skills of organisations are not fetched'),
    ),
    sandbox_config: noOp('agents use addresses of a sandbox like any other address'),
  },
  OrgConfig: { '*': noOp('skills of organisations are not fetched') },
  PluginsRequest: { '*': noOp('this server has no plugins, so the list is empty') },
  HooksRequest: { project_dir: chosenSkills },
  AddWorkspacesRequest: { workspaces: folders },
  WorkspaceItem: each(['id', 'name', 'path', 'parentPath'], folders),
  AddWorkspaceParentsRequest: { parents: folders },
  WorkspaceParentItem: each(['id', 'name', 'path'], folders),

  'POST /api/conversations': { include_skills: shown },
  'GET /api/conversations': {
    ids: acts(find, 'by ids keeps their order, and has null for a missing conversation'),
    include_skills: shown,
  },
  'GET /api/conversations/search': {
    ...each(['page_id', 'limit', 'sort_order'], pages),
    status: acts(find, 'by status counts and lists those alone'),
    include_skills: shown,
  },
  'GET /api/conversations/count': { status: acts(find, 'by status counts and lists those alone') },
  'GET /api/conversations/{conversation_id}': { include_skills: shown },
  'POST /api/conversations/{conversation_id}/fork': { include_skills: shown },
  'POST /api/conversations/{conversation_id}/navigate': { include_skills: shown },
  'GET /api/conversations/{conversation_id}/commits': each(
    ['after', 'limit'],
    acts(past, 'P6: the commits of a conversation, page by page, fold to its state; its state at each is told'),
  ),
  'GET /api/conversations/{conversation_id}/state': {
    at: acts(past, 'P6: the commits of a conversation, page by page, fold to its state; its state at each is told'),
    event: acts(past, 'P6: the commits of a conversation, page by page, fold to its state; its state at each is told'),
  },
  'GET /api/conversations/{conversation_id}/outline': each(
    ['after', 'buckets'],
    acts(past, 'the outline of a log has its marks, as many as asked for, and from an event on'),
  ),
  'GET /api/conversations/{conversation_id}/view': each(
    ['at', 'event', 'from', 'limit'],
    acts(past, 'the view at a commit or an event has the messages of the model, page by page'),
  ),
  'GET /api/conversations/{conversation_id}/events/search': {
    ...each(['kind', 'source', 'body', 'timestamp__gte', 'timestamp__lt'], found),
    ...each(['page_id', 'limit', 'sort_order'], listed),
    text: acts(events, 'are found by a text in what people and the model read of them'),
  },
  'GET /api/conversations/{conversation_id}/events/count': {
    ...each(['kind', 'source', 'body', 'timestamp__gte', 'timestamp__lt'], found),
    text: acts(events, 'are found by a text in what people and the model read of them'),
  },
  'GET /api/conversations/{conversation_id}/events': {
    ids: acts(events, 'are got one by one, and together in the order asked for, null where there is none'),
  },
  'GET /api/bash/bash_events/search': each(
    ['kind__eq', 'command_id__eq', 'timestamp__gte', 'timestamp__lt', 'order__gt', 'sort_order', 'page_id', 'limit'],
    foundBash,
  ),
  'POST /api/file/upload': {
    path: acts(workspaceHost, 'go up byte by byte, with the folders above them, and down again'),
  },
  'GET /api/file/download': {
    path: acts(workspaceHost, 'go up byte by byte, with the folders above them, and down again'),
  },
  'POST /api/file/create_directory': {
    path: acts(workspaceHost, 'are made, listed by pages, and refused where a file stands'),
  },
  'GET /api/file/home': { include_hidden: acts(workspaceHost, 'begin at home') },
  'GET /api/file/search_subdirs': each(
    ['path', 'page_id', 'limit', 'include_hidden'],
    acts(workspaceHost, 'are made, listed by pages, and refused where a file stands'),
  ),
  'GET /api/file/archive': {
    ...each(['path', 'format'], acts(workspaceHost, 'are packed, and what changed in one is a patch')),
    base_ref: acts(archive, 'refuses a base that is unknown, and a folder without a repository'),
    use_default_excludes: acts(members, 'use_default_excludes of an archive and limit of commits hold'),
    exclude: acts(workspaceHost, 'are packed, and what changed in one is a patch'),
  },
  'GET /api/git/changes': {
    path: acts(git, 'tells what was added, changed, deleted and moved, also what git does not track'),
    ref: acts(git, 'compares with the commit that is named, and refuses an unknown one and an option'),
  },
  'GET /api/git/diff': each(['path', 'ref', 'commit'], acts(git, 'gives both sides of a file, now and in a commit')),
  'GET /api/git/commits': each(
    ['path', 'limit'],
    acts(members, 'use_default_excludes of an archive and limit of commits hold'),
  ),
  'GET /api/git/commits/{sha}/changes': { path: acts(git, 'lists commits, newest first, and what each changed') },
  'GET /api/llm/models': { provider: acts(catalog, 'clients are told of models') },
  'DELETE /api/workspaces': { path: folders },
  'DELETE /api/workspaces/parents': { path: folders },
  'GET /api/vscode/url': each(['base_url', 'workspace_dir'], noOp('this server has no editor, and answers 503')),
  'GET /api/desktop/url': { base_url: noOp('this server has no desktop, and answers 503') },
};
