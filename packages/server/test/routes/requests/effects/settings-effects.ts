import { acts, each, noOp, type Effects } from '../effect.ts';
import { folders } from './shared-effects.ts';
import {
  agentProfiles,
  askedPrograms,
  begun,
  catalog,
  connections,
  deferredInit,
  foundSubAgents,
  keepRoutes,
  members,
  metaProfiles,
  models,
  newer,
  pluginAdditions,
  pluginRoutes,
  plugins,
  programs,
  routeAgents,
  routeTask,
  settingsStore,
} from './test-files.ts';

const kept = acts(keepRoutes, 'profiles of models are kept, shown as asked for, activated, renamed and removed');
const chosenSkills = acts(
  catalog,
  'clients are told of the skills and hooks of a project, and of what is wrong with them',
);

const activeRules = acts(
  metaProfiles,
  'active rules give agents the tool that chooses a model, by activation and by active_meta_profile',
);
const keptRules = acts(
  metaProfiles,
  'rules are kept with classifier_model, classes, description and model, listed and removed',
);
const ownRules = acts(
  metaProfiles,
  'an agent profile has rules of its own with meta_profile_ref, and tells which of them are missing',
);
const connected = acts(
  connections,
  'a connection is made with its members, listed without its key, changed and removed',
);
const noExtension = noOp('no extension is installed here, and each answer says so');

const ofSecretKeys = acts(
  deferredInit,
  'the secret_key of a request encrypts, and previous_secret_keys decrypt what was stored before',
);

/** Effects of the members of settings, profiles, skills and folders that a server keeps. */
export const SETTINGS_EFFECTS: Effects = {
  InitRequest: {
    ...each(
      ['session_api_keys', 'conversations_path', 'max_concurrent_runs'],
      acts(
        deferredInit,
        'a waiting server stores nothing, then serves at its port, in the conversations_path of the request',
      ),
    ),
    ...each(['secret_key', 'previous_secret_keys'], ofSecretKeys),
    ...each(
      ['conversation_worktree_root', 'allow_cors_origins', 'webhooks'],
      acts(deferredInit, 'conversation_worktree_root, allow_cors_origins and webhooks of the request hold'),
    ),
    env: acts(deferredInit, 'variables in env are those of commands, unless they look like credentials'),
    bash_events_dir: noOp('events of commands are kept in memory'),
    web_url: noOp('the answers of this server name no address of its own'),
    telemetry: noOp('this server sends no data about its use'),
  },
  UpdateSettingsRequest: {
    ...each(
      ['agent_settings_diff', 'conversation_settings_diff', 'misc_settings_diff'],
      acts(settingsStore, 'settings are merged member by member, kept across a restart, and secret in the file'),
    ),
    active_profile: acts(models, 'settings take the model of the profile that becomes the active one'),
    active_agent_profile_id: acts(keepRoutes, 'profiles of agents begin with one, and say what they resolve to'),
    active_meta_profile: activeRules,
  },
  SavedMetaProfile: each(['classifier_model', 'classes', 'prompt_template', 'model_table'], keptRules),
  MetaProfile: each(['classifier_model', 'classes', 'prompt_template', 'model_table'], keptRules),
  MetaProfileClass: each(['description', 'model'], keptRules),
  ProviderConnectionCreateRequest: each(['display_name', 'provider', 'api_key', 'base_url'], connected),
  ProviderConnectionUpdateRequest: each(['display_name', 'provider', 'api_key', 'base_url'], connected),
  MaterializeAgentProfileRequest: { profile: ownRules },
  SubAgentsRequest: each(
    ['load_user', 'load_project', 'load_builtin', 'project_dir'],
    acts(
      foundSubAgents,
      'sub-agents are listed by load_user, load_project, load_builtin and project_dir, as in their files',
    ),
  ),
  InstallCanvasExtensionRequest: { '*': noOp('nothing is installed, and the answer says so') },
  UpdateCanvasExtensionStateRequest: { '*': noExtension },
  BackendRevisionRequest: { '*': noExtension },
  ACPModelDiscoveryRequest: {
    ...each(
      ['agent_settings', 'secrets'],
      acts(
        programs,
        'POST /api/acp/models answers with the models of agent_settings, by its secrets, or with the reason',
      ),
    ),
    refresh: noOp('the program is asked each time'),
  },
  ACPAgentSettings: {
    ...each(
      ['agent_kind', 'acp_server', 'acp_command', 'acp_args', 'acp_startup_timeout'],
      acts(
        askedPrograms,
        'the program of acp_command, acp_args and acp_startup_timeout, or of acp_server, is asked for models',
      ),
    ),
    schema_version: noOp('members are read by name, in settings of any version'),
    ...each(
      ['acp_model', 'acp_session_mode', 'acp_prompt_timeout', 'mcp_config', 'agent_context'],
      noOp('the program is only asked for its models, and gets no message'),
    ),
    ...each(
      ['acp_file_secrets', 'acp_isolate_data_dir'],
      noOp('keys reach a program as secrets, and no file is written for it'),
    ),
  },
  SubscriptionDevicePollRequest: { '*': noOp('no login was started here, and the answer says so') },
  SecretCreateRequest: each(
    ['name', 'value', 'description'],
    acts(keepRoutes, 'secrets are kept, listed without values, handed out as text and forgotten'),
  ),
  SaveProfileRequest: {
    llm: kept,
    include_secrets: acts(members, 'include_secrets: false keeps a profile without its key'),
  },
  RenameProfileRequest: { new_name: kept },
  ValidateProfileRequest: { llm: acts(models, 'the check of a profile asks its model') },
  AgentProfile: {
    schema_version: noOp('members are read by name, in profiles of any version'),
    id: acts(agentProfiles, 'a new profile keeps the id that it was sent with, and its revision counts its changes'),
    revision: noOp('the server counts the changes of a profile'),
    agent: noOp('there is only one kind of agent besides ACP agents'),
    condenser: acts(agentProfiles, 'the condenser of a profile is that of its agent'),
    verification: noOp('no critic rates answers here'),
    ...each(
      ['llm_profile_ref', 'mcp_server_refs'],
      acts(keepRoutes, 'profiles of agents begin with one, and say what they resolve to'),
    ),
    ...each(
      ['system_message_suffix', 'disabled_skills', 'tool_concurrency_limit'],
      acts(
        routeAgents,
        'an agent profile has its own system_message_suffix, disabled_skills and tool_concurrency_limit',
      ),
    ),
    persona: acts(
      newer,
      'an agent has the persona of its description, settings and profile, and keeps the common rules',
    ),
    secret_refs: acts(newer, 'an agent of a profile with secret_refs gets these secrets alone'),
    public_skills: acts(
      pluginAdditions,
      'an agent of a profile has the public skills that it names, beside those of the user',
    ),
    ...each(['enable_classify_and_switch_llm_tool', 'meta_profile_ref'], ownRules),
    tools: acts(routeAgents, '%s: the agent has the tools that are listed, and no others'),
    agent_kind: acts(models, 'P13: an agent profile that %s is refused'),
    acp_server: acts(routeAgents, 'settings and profiles with an acp_server alone have the program of this name'),
  },
  AgentSettings: {
    persona: acts(
      newer,
      'an agent has the persona of its description, settings and profile, and keeps the common rules',
    ),
    ...each(
      ['enable_sub_agents', 'enable_switch_llm_tool', 'tool_concurrency_limit', 'condenser'],
      acts(
        routeAgents,
        'enable_sub_agents, enable_switch_llm_tool, tool_concurrency_limit and condenser of an agent act',
      ),
    ),
    ...each(
      ['llm', 'tools', 'mcp_config', 'agent_context'],
      acts(routeAgents, '%s: the agent is described by the parts that it was sent'),
    ),
    ...each(['enable_classify_and_switch_llm_tool', 'active_meta_profile', 'meta_profile'], activeRules),
    meta_profile_llms: acts(routeTask, 'models that came with the agent go before the profiles'),
    schema_version: noOp('members are read by name, in settings of any version'),
    agent_kind: acts(routeAgents, 'settings and profiles with an acp_server alone have the program of this name'),
    agent: noOp('there is only one kind of agent besides ACP agents'),
    verification: noOp('no critic rates answers here'),
  },
  ConversationSettings: {
    schema_version: noOp('members are read by name, in settings of any version'),
    ...each(
      ['confirmation_mode', 'security_analyzer'],
      acts(begun, 'the confirmation mode of the settings asks a person about risky actions'),
    ),
    max_iterations: acts(begun, 'max_iterations of the settings limits the runs of a conversation'),
  },
  SkillsRequest: {
    ...each(
      ['load_user', 'load_project', 'project_dir'],
      acts(members, 'load_user and load_project choose which skills are listed'),
    ),
    load_public: acts(plugins, 'public skills are those of the marketplace that was fetched last'),
    ...each(['load_org', 'org_config', 'org_configs'], noOp('skills of organisations are not fetched')),
    ...each(
      ['marketplace_path', 'registered_marketplaces'],
      noOp('the operator chooses the marketplace of this server'),
    ),
    sandbox_config: noOp('agents use addresses of a sandbox like any other address'),
  },
  OrgConfig: { '*': noOp('skills of organisations are not fetched') },
  PluginsRequest: {
    '*': acts(
      pluginRoutes,
      'the plugins that a conversation would have are listed, those of the project over those of the user',
    ),
  },
  InstallSkillRequest: { '*': acts(plugins, 'a skill is installed from a repository, at its ref and its path') },
  InstallPluginRequest: { '*': acts(plugins, 'a skill is installed from a repository, at its ref and its path') },
  FetchPluginRequest: {
    '*': acts(pluginRoutes, 'a plugin is fetched without being installed, and no secret of its source is repeated'),
  },
  UpdateSkillStateRequest: {
    enabled: acts(plugins, 'a skill that is installed is given to conversations until it is switched off'),
  },
  HooksRequest: { project_dir: chosenSkills },
  AddWorkspacesRequest: { workspaces: folders },
  WorkspaceItem: each(['id', 'name', 'path', 'parentPath'], folders),
  AddWorkspaceParentsRequest: { parents: folders },
  WorkspaceParentItem: each(['id', 'name', 'path'], folders),
};
