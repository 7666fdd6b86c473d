import { acts, each, noOp, refused, type Effects } from '../effect.ts';
import { built, noCritic } from './shared-effects.ts';
import {
  agentTest,
  enrich,
  loadSkills,
  newer,
  pathRules,
  pluginAdditions,
  plugins,
  programStarts,
  programTurns,
  providers,
  skills,
  start,
} from './test-files.ts';

const storedSecret = acts(
  'packages/secrets/test/stored-secrets.test.ts',
  'P6: state holds names and ciphertext, in the objects of the wire',
);
const ofPython = 'it names code or templates of a Python process, which this server does not load';
const ofSkill = 'it is stored and returned for other readers of the skill';
const ofMarketplace = 'the operator chooses the marketplace of this server';

/** Effects of the members of an agent: its tools, context, skills and secrets. */
export const AGENT_EFFECTS: Effects = {
  ACPAgent: {
    ...each(
      [
        'acp_args',
        'acp_command',
        'acp_model',
        'acp_prompt_timeout',
        'acp_server',
        'acp_session_mode',
        'acp_startup_timeout',
        'agent_context',
        'kind',
      ],
      acts(programStarts, 'a description comes back as it was, and as OpenHands writes it'),
    ),
    mcp_config: acts(
      programTurns,
      'mcp_config reaches the program with its secrets, and a server that it cannot take is refused',
    ),
    ...each(
      ['condenser', 'tools'],
      refused('the program has its own', programStarts, 'wrong options and descriptions are refused by name'),
    ),
    ...each(
      ['acp_file_secrets', 'acp_isolate_data_dir'],
      noOp('keys reach a program as secrets, and no file is written for it'),
    ),
    acp_resume_session_id: noOp('the log has the session that a conversation goes on with'),
    llm: noOp('the program has its own models, and acp_model chooses one'),
    critic: noOp(noCritic),
    ...each(
      [
        'filter_tools_regex',
        'include_default_tools',
        'security_policy_filename',
        'system_prompt',
        'system_prompt_filename',
        'system_prompt_kwargs',
        'tool_concurrency_limit',
      ],
      noOp('it is stored and returned, and the program has its own'),
    ),
  },
  ACPFileSecretSpec: { '*': noOp('keys reach a program as secrets, and no file is written for it') },
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
    persona: acts(
      newer,
      'an agent has the persona of its description, settings and profile, and keeps the common rules',
    ),
    security_policy_filename: noOp(ofPython),
    system_prompt: acts(start, 'agent_launch_additions and system_prompt stand in the prompt of the agent'),
    system_prompt_filename: noOp(ofPython),
    system_prompt_kwargs: noOp(ofPython),
    tool_concurrency_limit: acts(
      agentTest,
      'one call at a time unless the agent says more, as an option or in what it is described by',
    ),
    tools: acts(
      start,
      'a request for tools that are missing here is accepted, and info and log name the missing tools',
    ),
  },
  openhands__sdk__tool__spec__Tool: { name: built, params: built },
  AgentContext: {
    load_memory: acts(start, 'a request with load_memory tells the agent what earlier conversations wrote down'),
    skills: acts(skills, 'an agent built from its description, or with only described skills, has the same prompt'),
    disabled_skills: acts(
      skills,
      'a stored skill that is disabled, or has an unknown trigger, is kept and stays out of the prompt',
    ),
    system_message_suffix: built,
    user_message_suffix: acts(
      enrich,
      'a note is described, and an agent built from that, or with another model, adds the same',
    ),
    secrets: acts(
      'packages/secrets/test/lent-secrets.test.ts',
      'P9: lent secrets reach the process that names them, are masked, and are not stored',
    ),
    current_datetime: noOp('the prompt always contains the date'),
    memory_context: noOp('a server fills this member from its memory files, so the value of a client is ignored'),
    load_user_skills: acts(
      pluginAdditions,
      'a new agent has the skills of the user if its context asks for them, and its own ones win',
    ),
    load_project_skills: acts(
      pluginAdditions,
      'a new agent has the skills and plugins of its project on request, and those of the project win',
    ),
    load_public_skills: acts(plugins, 'public skills are those of the marketplace that was fetched last'),
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
        'P9: a value is asked for with the headers when it is named, and masked before it is handed out',
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
      'a stored skill that is disabled, or has an unknown trigger, is kept and stays out of the prompt',
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
    acts(pathRules, 'rules are read from front matter as a list or a line, and a stored agent has them again'),
  ),
};
