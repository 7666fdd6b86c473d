import { acts, each, noOp, refused, type Effect, type Effects } from './effect.ts';

const agents = 'apps/agent-server/test/routes/agents.test.ts';
const safeguards = 'apps/agent-server/test/routes/safeguards.test.ts';
const messages = 'apps/agent-server/test/routes/messages.test.ts';
const start = 'apps/agent-server/test/start-requests.test.ts';

const asked = acts(
  agents,
  '%s: the model is asked as its description says, and a fallback that it names answers for it',
);
const read = acts(agents, '%s: the model reads what the context of the agent says');
const offered = acts(agents, '%s: the agent has the tools that are listed, and no others');
const known = acts(
  agents,
  'P9: %s: a secret that is given and one that is looked up reach the command that names them',
);
const shown = acts(agents, '%s: MCP servers are asked with their headers and credentials');
const described = acts(agents, '%s: the agent is described by the parts that it was sent');
const rated = acts(safeguards, '%s: an analyzer of each kind rates the calls of the agent');
const decided = acts(safeguards, '%s: a policy of each kind decides which calls wait');
const content = acts(messages, '%s: text and image_urls of the content reach the model');
const message = acts(messages, '%s: run and sender of a message hold');
const frame = acts(messages, 'WS %s: a message frame of another role than user is refused');
const opened = acts(messages, 'WS %s: session_api_key of the first frame opens the socket, and a wrong one closes it');
const ran = acts(messages, '%s: command, cwd and timeout of a command hold');
const workspaces = 'packages/server/test/routes/runtimes.test.ts';
const ranThere = acts(
  workspaces,
  'the routes of a workspace run commands in its folder, and tell of them to this conversation alone',
);
const renamed = acts(messages, '%s: new_name is the name from then on');
const condensed = acts(agents, 'POST /api/conversations agent: a condenser of each kind is at work');
const hooked = acts(start, 'P13: a request with hooks that have %s is refused with the place');

const plugins = 'apps/agent-server/test/plugins.test.ts';
const pluginRoutes = 'packages/server/test/routes/plugins.test.ts';
const fetched = acts(
  pluginRoutes,
  'a plugin is fetched without being installed, and no secret of its source is repeated',
);
const rules = acts(
  'packages/server/test/routes/meta-profiles.test.ts',
  'active rules give agents the tool that chooses a model, by activation and by active_meta_profile',
);
const routed = acts(
  'apps/agent-server/test/routed-tasks.test.ts',
  'an agent of settings with active rules goes on with the model of the class that a small model names',
);
const keptRules = acts(
  'packages/server/test/routes/meta-profiles.test.ts',
  'rules are kept with classifier_model, classes, description and model, listed and removed',
);
const ownRules = acts(
  'packages/server/test/routes/meta-profiles.test.ts',
  'an agent profile has rules of its own with meta_profile_ref, and tells which of them are missing',
);
const ofOrganisation = { OrgConfig: noOp('skills of organisations are not fetched') };
const noExtension = noOp('no extension is installed here, and each answer says so');

const oauth = acts(agents, '%s: an MCP server with oauth2 asks for a login of the client that it names');
const ownTokens = noOp('a person logs in at this server, which keeps the tokens');
const trials = 'apps/agent-server/test/logins/trials.test.ts';
const tried = acts(trials, 'P9: the test route tries a server with the credential that settings keep: %s');
const started = acts(
  trials,
  'P9: the OAuth route begins a login, follows it, and lists the tools; no token is in an answer',
);
const notOauth = refused(
  'a login is that of a server with oauth2',
  trials,
  'the OAuth route is for servers with oauth2 alone, and answers 404 for an unknown job',
);

const CREDENTIALS: Readonly<Record<string, Effect>> = {
  ...each(
    ['None', 'ApiKey', 'Bearer', 'Basic', 'Header'].map((strategy) => `MCP${strategy}AuthCredential`),
    shown,
  ),
  ...each(['MCPOAuthAuthCredential', 'MCPOAuthAuthentication'], oauth),
  ...each(['MCPOAuthState', 'MCPOAuthClientInfoState', 'MCPOAuthTokenState'], ownTokens),
};

/** Effects of the parts of a server that is tried. */
const TRIED: Readonly<Record<string, Effect>> = {
  ...CREDENTIALS,
  ...each(
    ['None', 'ApiKey', 'Bearer', 'Basic', 'Header'].map((strategy) => `MCP${strategy}AuthCredential`),
    tried,
  ),
  ...each(['MCPOAuthAuthCredential', 'MCPOAuthAuthentication'], started),
  MCPServer: tried,
};

const MODEL = each(['LLM', 'FallbackStrategy'], asked);

const SECRETS = each(['SecretSource', 'LookupSecret', 'StaticSecret'], known);

/** Effects of the parts of agents, wherever a request holds them. */
const PARTS: Readonly<Record<string, Effect>> = {
  ...MODEL,
  ...SECRETS,
  ...CREDENTIALS,
  MCPServer: shown,
  openhands__sdk__tool__spec__Tool: offered,
  ...each(['AgentContext', 'Skill', 'InputMetadata', 'KeywordTrigger', 'TaskTrigger', 'PathTrigger'], read),
  SkillResources: noOp('the model reads files beside a skill with its own tools'),
  MarketplaceRegistration: noOp('this server has no marketplace'),
};

const CONTENT = each(['ContentPart', 'TextContent', 'ImageContent'], content);

/** Skills that a request adds to an agent are those of its context. */
const SKILLS: Readonly<Record<string, Effect>> = {
  ...each(
    ['Skill', 'InputMetadata', 'KeywordTrigger', 'TaskTrigger', 'PathTrigger'],
    acts(
      'apps/agent-server/test/newer-members.test.ts',
      'an agent gets the skills and the model that agent_launch_additions name',
    ),
  ),
  SkillResources: noOp('the model reads files beside a skill with its own tools'),
};

const POLICIES = each(['AlwaysConfirm', 'ConfirmRisky', 'NeverConfirm'], decided);

const ANALYZERS: Readonly<Record<string, Effect>> = {
  ...each(
    [
      'KnownSecurityAnalyzer',
      'PatternSecurityAnalyzer',
      'PolicyRailSecurityAnalyzer',
      'EnsembleSecurityAnalyzer',
      'GraySwanAnalyzer',
      'LLMSecurityAnalyzer',
      'ToolShieldLLMSecurityAnalyzer',
    ],
    rated,
  ),
  ...each(
    ['LLM', 'FallbackStrategy'],
    noOp('an analyzer with a model asks no model, so every action that it would rate counts as HIGH'),
  ),
};

/**
 * Effects of each component that several requests hold. Keys are a route and the member of its body that holds the component, or
 * the route alone for the body itself. `*` stands for everything in the member.
 */
export const HOLDERS: Effects = {
  'POST /api/conversations agent': {
    ...PARTS,
    ...each(['CondenserBase', 'LLMSummarizingCondenser', 'NoOpCondenser', 'PipelineCondenser'], condensed),
  },
  'POST /api/conversations agent_settings': {
    ...PARTS,
    ...each(['MetaProfile', 'MetaProfileClass'], routed),
    AgentSettings: described,
  },
  'POST /api/conversations agent_definitions': {
    ...each(['LLM', 'FallbackStrategy'], noOp('the condenser of a sub-agent asks the model of the sub-agent')),
    ...each(
      ['MCPServer', ...Object.keys(CREDENTIALS)],
      noOp('a sub-agent has the MCP servers of its caller, as on the server of OpenHands'),
    ),
    '*': acts(
      'apps/agent-server/test/sent-definitions.test.ts',
      'P10: an agent gives a task to a sub-agent that came with the conversation',
    ),
  },
  'POST /api/conversations initial_message': { ...CONTENT, SendMessageRequest: message },
  'POST /api/conversations confirmation_policy': POLICIES,
  'POST /api/conversations security_analyzer': ANALYZERS,
  'POST /api/conversations agent_launch_additions': SKILLS,
  'POST /api/conversations secrets': SECRETS,
  'POST /api/conversations hook_config': { '*': hooked },
  'POST /api/conversations/{conversation_id}/secrets secrets': SECRETS,
  'POST /api/conversations/{conversation_id}/confirmation_policy policy': POLICIES,
  'POST /api/conversations/{conversation_id}/security_analyzer security_analyzer': ANALYZERS,
  'POST /api/conversations/{conversation_id}/switch_llm llm': MODEL,
  'POST /api/conversations/{conversation_id}/events': { SendMessageRequest: message },
  'POST /api/conversations/{conversation_id}/events content': CONTENT,
  'POST /api/conversations/{conversation_id}/events/answer_call content': CONTENT,
  'WS /sockets/events/{conversation_id}': { AuthFrame: opened, MessageFrame: frame },
  'WS /sockets/events/{conversation_id} content': CONTENT,
  'WS /sockets/session/{conversation_id}': { AuthFrame: opened, MessageFrame: frame },
  'WS /sockets/session/{conversation_id} content': CONTENT,
  'WS /sockets/bash-events': { AuthFrame: opened, ExecuteBashRequest: ran },
  'POST /api/bash/execute_bash_command': { ExecuteBashRequest: ran },
  'POST /api/bash/start_bash_command': { ExecuteBashRequest: ran },
  'POST /api/conversations/{runtime_conversation_id}/bash/execute_bash_command': { ExecuteBashRequest: ranThere },
  'POST /api/conversations/{runtime_conversation_id}/bash/start_bash_command': { ExecuteBashRequest: ranThere },
  'PATCH /api/settings agent_settings_diff': {
    ...PARTS,
    ...each(['MetaProfile', 'MetaProfileClass'], rules),
    AgentSettings: described,
  },
  'POST /api/settings/mcp/{key}': { MCPServer: shown },
  'POST /api/settings/mcp/{key} auth': CREDENTIALS,
  'PATCH /api/settings/mcp/{key} auth': CREDENTIALS,
  'POST /api/mcp/test': { MCPTestRequest: tried },
  'POST /api/mcp/test server': TRIED,
  'POST /api/mcp/oauth/start': { MCPTestRequest: started },
  'POST /api/mcp/oauth/start server': {
    ...TRIED,
    ...each(
      ['None', 'ApiKey', 'Bearer', 'Basic', 'Header'].map((strategy) => `MCP${strategy}AuthCredential`),
      notOauth,
    ),
    MCPServer: started,
  },
  'POST /api/profiles/{name} llm': MODEL,
  'POST /api/profiles/{name}/validate llm': {
    LLM: acts(agents, 'POST /api/profiles/{name}/validate asks the model as its description says'),
    FallbackStrategy: noOp('the check asks only the model itself'),
  },
  'POST /api/plugins/fetch secrets': {
    ...each(['SecretSource', 'StaticSecret'], fetched),
    LookupSecret: refused(
      'a fetch takes secrets with their value, so a placeholder of a secret that is looked up is missing',
      pluginRoutes,
      'a plugin is fetched without being installed, and no secret of its source is repeated',
    ),
  },
  'POST /api/skills org_config': ofOrganisation,
  'POST /api/skills org_configs': ofOrganisation,
  'POST /api/skills registered_marketplaces': {
    MarketplaceRegistration: noOp('the operator chooses the marketplace of this server'),
  },
  'PATCH /api/skills/installed/{skill_name}': {
    UpdateSkillStateRequest: acts(
      plugins,
      'a skill that is installed is given to conversations until it is switched off',
    ),
  },
  'PATCH /api/plugins/installed/{plugin_name}': {
    UpdateSkillStateRequest: acts(
      plugins,
      'an installed plugin works in every conversation, its hooks in the sandbox, until it is switched off',
    ),
  },
  'POST /api/profiles/{name}/rename': { RenameProfileRequest: renamed },
  'POST /api/agent-profiles/{name}/rename': { RenameProfileRequest: renamed },
  'POST /api/agent-profiles/{name}': { AgentProfile: ownRules },
  'POST /api/agent-profiles/{name} tools': { openhands__sdk__tool__spec__Tool: offered },
  'POST /api/agent-profiles/{name}/materialize profile': {
    ...each(['AgentProfile', 'openhands__sdk__tool__spec__Tool'], ownRules),
  },
  'POST /api/meta-profiles/{name} classes': { MetaProfileClass: keptRules },
  'POST /api/canvas-extensions/installed/{extension_name}/backend/prepare': { BackendRevisionRequest: noExtension },
  'POST /api/canvas-extensions/installed/{extension_name}/backend/start': { BackendRevisionRequest: noExtension },
};
