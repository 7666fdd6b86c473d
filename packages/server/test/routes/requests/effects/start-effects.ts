import { acts, each, noOp, type Effects } from '../effect.ts';
import { acted, hookKinds, shown } from './shared-effects.ts';
import {
  clientTools,
  definitions,
  members,
  newer,
  pluginAdditions,
  plugins,
  program,
  runtimes,
  sentDefinitions,
  settings,
  start,
  starting,
} from './test-files.ts';

/** Effects of the members of a start of a conversation, and of what it may bring. */
export const START_EFFECTS: Effects = {
  StartConversationRequest: {
    workspace: acted,
    agent: shown,
    agent_settings: acts(starting, 'a start with agent settings builds the agent that they describe'),
    agent_profile_id: acts(
      start,
      'agent_profile_id brings the agent of a profile, excludes another one and is 404 when unknown',
    ),
    conversation_id: acts(starting, 'a start with a used id answers 200 with the stored conversation'),
    initial_message: acts(starting, 'a start with a first message runs it, gives it a title and tells of the answer'),
    max_iterations: acted,
    max_budget_per_run: acts(start, 'a request with limits starts a conversation with these limits'),
    max_budget: acts(start, 'a request with limits starts a conversation with these limits'),
    tool_timeout: acts(start, 'a request with limits starts a conversation with these limits'),
    openhands: acts(
      start,
      'a request for releases of OpenHands shows ratings as events of these releases, and says so',
    ),
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
      'a request with worktree gives the agent a checkout of its own, which goes with the conversation',
    ),
    worktree_options: acts(
      newer,
      'a conversation has a worktree at the chosen commit, on a branch with the chosen beginning',
    ),
    prompt: acts(newer, 'a conversation has the title that the model of title_llm_profile gives for the prompt'),
    parent_conversation_id: acts(
      starting,
      'a start for a parent is told to both, and refuses itself and another workspace',
    ),
    tool_module_qualnames: noOp(
      "it names Python modules, and is stored for OpenHands' servers that open the conversation",
    ),
    client_tools: acts(clientTools, 'a tool of the client is acknowledged at once, and told of as it was given'),
    agent_definitions: acts(definitions, 'P10: an agent gives a task to a sub-agent that came with the conversation'),
    agent_launch_additions: acts(start, 'agent_launch_additions and system_prompt stand in the prompt of the agent'),
    plugins: acts(
      pluginAdditions,
      'a new agent has all that plugins of the request and of the user bring, one plugin of each name',
    ),
    hook_config: hookKinds,
    tags: acted,
    user_id: noOp('it is stored with the conversation for other readers, because this server has no users'),
    ...each(
      ['observability_metadata', 'observability_tags', 'observability_span_name', 'observability_parent_span_context'],
      noOp('it is stored with the conversation; traces of this server name conversations only by their id'),
    ),
    conversation_runtime: acts(
      runtimes,
      'the runtime of a conversation is the default of the server unless the request names another',
    ),
    container: acts(
      runtimes,
      'a runtime has the limits of the request that the operator allows, and others are refused by name',
    ),
    autotitle: acts(members, 'autotitle: false leaves a conversation without a title'),
    title_llm_profile: acts(
      start,
      'a request with title_llm_profile gets its title from that model, or else from that of the agent',
    ),
  },
  AgentDefinition: {
    ...each(
      ['name', 'description', 'system_prompt', 'tools', 'model', 'permission_mode', 'max_iteration_per_run'],
      acts(definitions, 'P10: an agent gives a task to a sub-agent that came with the conversation'),
    ),
    ...each(
      ['max_budget_per_run', 'hooks'],
      acts(sentDefinitions, 'a sent definition is a sub-agent with its limits, its policy, its hooks and its prompt'),
    ),
    skills: acts(definitions, 'a sub-agent whose skill its caller lacks is refused when it gets a task'),
    condenser: acts(
      sentDefinitions,
      'a sent definition has the condenser that it describes, which asks the model of the sub-agent',
    ),
    mcp_config: noOp('a sub-agent has the MCP servers of its caller, as on the server of OpenHands'),
    profile_store_dir: noOp('profiles are read only from the folder of the server'),
    ...each(
      ['color', 'level', 'metadata', 'source', 'when_to_use_examples'],
      noOp('it is stored with the conversation for other readers'),
    ),
  },
  AgentLaunchAdditions: {
    system_message_suffix_append: acts(
      start,
      'agent_launch_additions and system_prompt stand in the prompt of the agent',
    ),
    ...each(
      ['skills', 'llm_profile_ref'],
      acts(newer, 'an agent gets the skills and the model that agent_launch_additions name'),
    ),
  },
  ConversationWorktreeOptions: {
    '*': acts(newer, 'a conversation has a worktree at the chosen commit, on a branch with the chosen beginning'),
  },
  ConversationContainerOptions: {
    ...each(
      ['memory', 'cpus'],
      acts(
        runtimes,
        'a runtime has the limits of the request that the operator allows, and others are refused by name',
      ),
    ),
    browser: noOp('agents of this server have no browser'),
  },
  PluginSource: {
    '*': acts(plugins, 'a plugin that a request names is read at its ref and its path, and what it brings works'),
  },
};
