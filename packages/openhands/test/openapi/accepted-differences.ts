/** Differences from the reference's document that are meant. */
export interface AcceptedDifference {
  readonly pattern: RegExp;
  /** Number of differences that it covers: one more or one fewer fails. */
  readonly count: number;
  readonly reason: string;
}

/** Every difference from the reference's document, with its reason. Nothing else may differ. */
export const acceptedDifferences: readonly AcceptedDifference[] = [
  {
    pattern:
      /^[A-Z]+ \/api\/(?:agent-profiles|auth|desktop|hooks|init|llm|mcp|plugins|profiles|settings|skills|sub-agents|vscode|workspaces)\b\S*: only here$/,
    count: 74,
    reason:
      'the reference has these, too; its document is compared for conversations, events, bash, files, git and tools',
  },
  {
    pattern:
      /^(?:GET \/api\/tools\/catalog|POST \/api\/(?:bash\/bash_commands\/\{command_id\}\/stop|conversations\/\{conversation_id\}\/children)): only here$/,
    count: 3,
    reason: 'the reference has these from 1.51, 1.52 and 1.56 on',
  },
  {
    pattern:
      /^[A-Z]+ \/(?:api\/(?:acp|canvas-extensions|git\/repositories|meta-profiles)|app-backends)\/?\S*: only here$/,
    count: 22,
    reason: 'the reference has these from 1.44, 1.49, 1.50 and 1.54 on',
  },
  {
    pattern:
      /^[A-Z]+ \/api\/conversations\/\{(?:runtime_conversation_id\}\/.*|conversation_id\}\/runtime(?:\/reprovision)?): only here$/,
    count: 21,
    reason: 'the reference has these from 1.48 on',
  },
  {
    pattern:
      /^(?:LLM: members only here: stream_idle_timeout|Agent: members only here: persona|LaunchedAgentProfile: members only here: llm_profile_ref, secret_refs|AgentLaunchAdditions: members only here: llm_profile_ref, skills|Success: members only here: file_size)$/,
    count: 5,
    reason: 'the reference has these from 1.48, 1.50, 1.51, 1.55 and 1.56 on',
  },
  {
    pattern: /: status (?:40[01349]|413|503) only here$/,
    count: 78,
    reason: 'statuses that the reference answers, or answers with 500, without saying so in its document',
  },
  {
    pattern: /^SecurityRisk: values: \["HIGH","LOW","MEDIUM","UNKNOWN"\] there, \["HIGH","LOW","MEDIUM"\] here$/,
    count: 1,
    reason: 'the threshold of a policy: an unknown risk compares with nothing, so that it is no threshold',
  },
  {
    pattern: /^AgentDefinition\.(?:name: (?:min|max)Length|permission_mode: values): undefined there, .* here$/,
    count: 3,
    reason:
      "the reference takes any text and fails when the sub-agent starts; a name is a tag of the sub-agent's conversation",
  },
  {
    pattern: /^AskAgentResponse: members only here: record$/,
    count: 1,
    reason: 'what a side question cost: no state counts it, so that its answer has to say it',
  },
  {
    pattern: /^POST \/api\/conversations\/\{conversation_id\}\/run: body only here$/,
    count: 1,
    reason: 'a run may have a limit of its own; without a body it has that of the conversation, as there',
  },
  {
    pattern: /^ConversationPage: members only here: unreadable$/,
    count: 1,
    reason: 'which conversations are there and cannot be read: the reference leaves them out without a word',
  },
  {
    pattern:
      /^StartConversationRequest: members only here: container, conversation_runtime, max_budget, max_budget_per_run, observability_parent_span_context, openhands, prompt, stuck_detection_thresholds, tool_timeout, worktree_options$/,
    count: 1,
    reason:
      'limits and thresholds that a conversation has here may be set when it is started, the releases that read it, and what the reference takes from 1.49, 1.52 and 1.57 on',
  },
  {
    pattern:
      /^ServerInfo: members only here: app_backend_ingress_url, available_conversation_runtimes, conv_version, conversation_runtime, protocols, read_only, sandbox, unconfined$/,
    count: 1,
    reason:
      'a server may take no commands, and says why; it says where tools and programs act, as from 1.49 and 1.50 on',
  },
  {
    pattern:
      /^ConversationInfo: members only here: damage, damaged, ignored_members, missing_secrets, missing_tools, openhands, owner, runtime_info, tool_module_qualnames, unanswered_calls$/,
    count: 1,
    reason:
      'what is lost to damage, which secrets, tools and members of the request have no effect, and whose it is: the reference says none of it, and the place and modules of its tools from 1.49 and 1.50 on',
  },
  {
    pattern: /^HookDefinition\.(?:command: (?:required|default)|(?:max_iterations|timeout): (?:minimum|maximum))/,
    count: 5,
    reason:
      'a hook that asks a model has no command there either, whatever the document says; a limit that ends a hook at once is none',
  },
  {
    pattern: /: status default only here$/,
    count: 55,
    reason: 'any other failure, such as a conversation that another server has, has the same body',
  },
  {
    pattern: /^POST \/api\/conversations: status 201 only here$/,
    count: 1,
    reason: 'the reference answers 201 for a new conversation although its document says 200 alone',
  },
  {
    pattern: /^POST \/api\/conversations\/\{conversation_id\}\/fork: status 200 only here$/,
    count: 1,
    reason: 'a fork that is repeated with its key is the one that was made',
  },
  {
    pattern: /^ExecuteBashRequest\.timeout: (?:maximum|exclusiveMinimum): undefined there, \d+ here$/,
    count: 2,
    reason: 'a time that is none, or that no timer can wait, is refused with 422; the reference takes it',
  },
  {
    pattern: /^GET \/api\/(?:conversations\/\{conversation_id\}\/workspace|file\/).* 200: application\/json there/,
    count: 5,
    reason: 'these answer bytes; the reference does not say so in its document',
  },
  {
    pattern: /^GET \/api\/conversations\/\{conversation_id\}\/events: body: required/,
    count: 1,
    reason: 'the ids may be in the query instead, for clients that cannot send a body with a GET',
  },
  {
    pattern:
      /(?:query limit: maximum|(?:query ids|events body|bash_events\/ body): maxItems): undefined there, 100 here$/,
    count: 7,
    reason: 'more than 100 is refused with 422; the reference fails with 500',
  },
  {
    pattern: /\.tags\{\}: maxLength: undefined there, 256 here$/,
    count: 3,
    reason: 'the reference checks the length of tags by code that its document does not show',
  },
  {
    pattern: /^SendMessageRequest\.role: values/,
    count: 1,
    reason: 'every role but `user` is refused with 422; the reference takes them and fails with 500',
  },
  {
    pattern:
      /^(?:ConversationInfo\.(?:created|updated)_at|Bash\w+\.(?:id|timestamp)|\w*(?:Event|Condensation|CondensationRequest|RejectObservation)\.(?:id|timestamp|source)): required: false there, true here$/,
    count: 61,
    reason: 'always there in what is answered; the reference would make one up for a reader that finds none',
  },
  {
    pattern: /: other members: "refused" there, "taken" here$/,
    count: 38,
    reason: 'members that are not known are kept and handed on, so that what a newer server says can be read',
  },
  {
    pattern:
      /^(?:\w*(?:Event|Action|Observation|Condensation|CondensationRequest|Content|ThinkingBlock)|ErrorClassification|TaskItem|CmdOutputMetadata)\.\w+: default: .* there, undefined here$/,
    count: 51,
    reason: 'a member of an event that is absent stays absent, so that the event is handed on as it was written',
  },
  {
    pattern:
      /^(?:\w+(?:Condenser|Critic|Analyzer)|AlwaysConfirm|ConfirmRisky|NeverConfirm)\.kind: required: false there, true here$/,
    count: 16,
    reason: 'the kind tells which one is meant; the reference refuses a request without it, too',
  },
  {
    pattern: /^(?:ACPAgent|Agent|LookupSecret|StaticSecret|LocalWorkspace)\.kind: required: true there, false here$/,
    count: 5,
    reason: 'one schema for reading and writing; in a request the kind may be left out of these',
  },
  {
    pattern: /^LocalWorkspace\.kind: default/,
    count: 1,
    reason: 'a workspace without a kind is a folder of the server',
  },
  {
    pattern:
      /^(?:AgentContext: members only here: memory_context|LLM: members only in the reference: is_subscription|LLM: members only here: fallback_strategy, stream_idle_timeout)$/,
    count: 3,
    reason: 'one schema for reading and writing, where the reference has two that differ in this member',
  },
  {
    pattern: /^MCPServer\.(?:env|headers)\{\}: nullable: false there, true here$/,
    count: 2,
    reason: 'one schema for reading and writing: what is answered has null for a secret',
  },
  {
    pattern: /^MCPServer: members only in the reference/,
    count: 1,
    reason: "a skill's own MCP servers are kept as they come, as the reference answers them",
  },
  {
    pattern: /^ConversationInfo\.(?:stats|secret_registry): default/,
    count: 2,
    reason: 'what absence means, which the reference makes by code',
  },
  {
    pattern: /^ConversationStats: members only here: usage_to_metrics$/,
    count: 1,
    reason: 'the reference describes no members although it always has this one',
  },
  {
    pattern: /^ServerInfo\.\w+: default: undefined there, "unknown" here$/,
    count: 7,
    reason: 'what absence means, which the reference makes by code',
  },
  {
    pattern: /^DELETE \/api\/bash\/bash_events 200: (?:members only here: cleared_count|map of)/,
    count: 2,
    reason: 'the one member is named, where the reference says a map of integers',
  },
  {
    pattern: /events\/search 200: type: "any" there, "object" here$/,
    count: 1,
    reason: 'the page is described, which the reference does not',
  },
  {
    pattern: /\/fork body: default/,
    count: 1,
    reason: 'a request without a body is read as one with an empty object; each member has its default',
  },
  {
    pattern: /^ActionEvent\.action: alternatives only in the reference/,
    count: 1,
    reason: 'actions of tools that are not built in here are kept as they are, whatever their kind',
  },
  {
    pattern: /^Observation: alternatives only in the reference/,
    count: 1,
    reason: 'observations of tools that are not built in here are kept as they are, whatever their kind',
  },
  {
    pattern: /^ToolDefinition: alternatives only/,
    count: 2,
    reason:
      'all tools are described by one schema with an open kind: the reference has one for each, with the same members',
  },
  {
    pattern: /^Message\.content: (?:nullable|alternatives)/,
    count: 3,
    reason: 'null and a bare text, which the reference reads without saying so, are kept as they were written',
  },
  {
    pattern:
      /^(?:ACPToolCallEvent\.raw_(?:input|output): nullable|(?:HookExecutionEvent\.hook_input|MCPToolAction\.data|CriticResult\.metadata): type: "object")/,
    count: 5,
    reason: 'free JSON, checked by code that the document does not show',
  },
  {
    pattern: /^(?:CriticResult\.message|TerminalObservation\.command): required/,
    count: 2,
    reason: 'the reference drops their null when it writes, and then cannot read them; here they may be absent',
  },
  {
    pattern:
      /^(?:GET \/api\/conversations\/\{conversation_id\}\/events 200\[\]|Event): alternatives only here: SecurityAnalysisEvent$/,
    count: 2,
    reason: 'the reference has this kind from 1.54 on; logs and servers of those releases are read by its fields',
  },
];
