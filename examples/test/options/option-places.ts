// Every place that takes an object of options: how it is called, and with what beside the options that are misspelt.
import { S3Client } from '@aws-sdk/client-s3';
import { createA2AHandler } from '@conv/a2a';
import { TaskNotifications, TaskReceivers } from '@conv/a2a-push';
import { connectEditor } from '@conv/acp';
import { acpAgent, acpAgents } from '@conv/acp-agent';
import { createAgUiHandler } from '@conv/ag-ui';
import * as agent from '@conv/agent';
import { servedProtocols } from '@conv/agent-server';
import { createChatHandler, createChatTransport, toUIMessageStreamResponse } from '@conv/ai-ui';
import { ContainerWorkspace } from '@conv/container';
import { ConversationState, createConversationFactory } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { checkStore, copyConversation, copyStore } from '@conv/store-kit';
import { MemoryRegistry, readEntries } from '@conv/store-kit/registry';
import * as tool from '@conv/core/tool';
import { guardedFetch } from '@conv/egress';
import { createHooks, loadHooks, reviveHooks } from '@conv/hooks';
import { local, renewStoredSecrets } from '@conv/local';
import { createMcpHandler } from '@conv/mcp';
import { createOpenAIHandler } from '@conv/openai';
import { RunSpans, tracedStore } from '@conv/otel';
import { FsRegistry, FsStore } from '@conv/persist-fs';
import { PostgresRegistry, PostgresStore } from '@conv/persist-postgres';
import { S3Registry, S3Store } from '@conv/persist-s3';
import { SqliteRegistry, SqliteStore } from '@conv/persist-sqlite';
import { Installations, Snapshots } from '@conv/plugins';
import { executeIn, remote, RemoteWorkspace } from '@conv/remote';
import { sandbox } from '@conv/sandbox';
import { createSecretVault, fernetCipher } from '@conv/secrets';
import { agentServer, DeferredInit, executorServer, waitingServer } from '@conv/server';
import { addKey, guardAccess, NamedKeys, readKeys } from '@conv/server/access';
import { auditTrail, renewSecrets, SettingsStore } from '@conv/server/records';
import { openStore } from '@conv/stores';
import { createStuckDetector } from '@conv/stuck';
import { startStudio } from '@conv/studio';
import { executorTools, fileEditor, mcpServers, presetTools, taskTracker, terminal } from '@conv/tools';
import { answerRun, takeRequest, turns, untilRest } from '@conv/turns';
import { eventTree, sequenceDiagram, TerminalVisualizer } from '@conv/visualize';

/** A place that takes options. */
export interface OptionPlace {
  /** As errors name it. */
  readonly name: string;
  /** The types of options that this place takes, as packages export them. */
  readonly types: readonly string[];
  /** Calls it with these options beside what it needs. */
  readonly call: (options: object) => unknown;
}

const place = (name: string, types: readonly string[], call: (options: never) => unknown): OptionPlace => ({
  name,
  types,
  call: call as OptionPlace['call'],
});

const server = { store: new MemoryStore(), persistenceDir: 'x', agents: { revive: async () => undefined } };
const workspace = new RemoteWorkspace({ host: 'localhost:9' });
const container = new ContainerWorkspace({ image: 'x' });
const Local = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() })] });
const Remote = createConversationFactory({ runtimes: [remote()] });

/** All of them but the methods of conversations, which the conformance suite of each runtime goes through. */
export const places: readonly OptionPlace[] = [
  place('createConversationFactory', [], (options) =>
    createConversationFactory({ runtimes: [remote()], ...(options as object) }),
  ),
  place('Conversation', ['LocalConversationOptions'], (options) => Local(options)),
  place('Conversation', ['RemoteConversationOptions'], (options) => Remote({ workspace, ...(options as object) })),
  place('local', ['LocalRuntimeOptions'], local),
  place('remote', ['RemoteRuntimeOptions'], remote),
  place('Installations', ['InstallationsOptions'], (options) => new Installations(options)),
  place('Snapshots', ['SnapshotsOptions'], (options) => new Snapshots(options)),
  place('RemoteWorkspace', ['RemoteWorkspaceOptions'], (options) => new RemoteWorkspace(options)),
  place('RemoteWorkspace: requests', ['RequestOptions'], (requests) => new RemoteWorkspace({ host: 'x', requests })),
  place(
    'RemoteWorkspace: requests.backoff',
    ['BackoffOptions'],
    (backoff) => new RemoteWorkspace({ host: 'x', requests: { backoff } }),
  ),
  place('ContainerWorkspace', ['ContainerWorkspaceOptions'], (options) => new ContainerWorkspace(options)),
  place('ContainerWorkspace: limits', ['ContainerLimits'], (limits) => new ContainerWorkspace({ image: 'x', limits })),
  place('executeIn', ['ExecuteInOptions'], (options) => executeIn(workspace, options)),
  place('executorServer', ['ExecutorServerOptions'], executorServer),
  place('waitingServer', ['WaitingServerOptions'], waitingServer),
  place('DeferredInit', ['DeferredInitOptions'], (options) => new DeferredInit(options)),
  place('executorTools', ['ExecutorToolsOptions'], executorTools),
  place('start', [], (options) => container.start(options)),
  place('addressOf', [], (options) => container.addressOf(80, options)),
  place('executeCommand', ['CommandOptions'], (options) => workspace.executeCommand('ls', options)),
  place('upload', [], (options) => workspace.upload('/x', '', options)),
  place('download', [], (options) => workspace.download('/x', options)),
  place('gitChanges', [], (options) => workspace.gitChanges('/x', options)),
  place('gitDiff', [], (options) => workspace.gitDiff('/x', options)),
  place('serverInfo', [], (options) => workspace.serverInfo(options)),
  place('createAgent', ['AgentOptions'], agent.createAgent),
  place('acpAgent', ['AcpAgentOptions'], acpAgent),
  place('acpAgents', ['AcpAgentsOptions'], acpAgents),
  place('createAgentFactory', ['AgentFactoryOptions'], agent.createAgentFactory),
  place('createModel', ['CreateModelOptions', 'ModelOptions'], agent.createModel),
  place('openaiCompatible', ['OpenaiCompatibleOptions'], (options) => agent.openaiCompatible('m', options)),
  place('openai', ['OpenaiOptions'], (options) => agent.openai('m', options)),
  place('anthropic', ['ProviderOptions'], (options) => agent.anthropic('m', options)),
  place('google', ['ProviderOptions'], (options) => agent.google('m', options)),
  place('google: price', ['ModelPrice'], (price) => agent.google('m', { price })),
  place('google: retry', ['RetryOptions'], (retry) => agent.google('m', { retry })),
  place('google: settings', ['CallSettings'], (settings) => agent.google('m', { settings })),
  place('modelFromEnvironment', ['ModelOptions'], (options) => agent.modelFromEnvironment({}, options)),
  place('modelProfiles', ['ModelProfilesOptions'], agent.modelProfiles),
  place('llmSummarizingCondenser', ['LlmSummarizingCondenserOptions'], agent.llmSummarizingCondenser),
  place('patternSecurityAnalyzer', ['PatternAnalyzerOptions'], agent.patternSecurityAnalyzer),
  place('ensembleSecurityAnalyzer', ['EnsembleOptions'], agent.ensembleSecurityAnalyzer),
  place('taskTool', ['SubAgentsOptions', 'SubAgentSources'], agent.taskTool),
  place('askOracleTool', ['AskOracleOptions'], agent.askOracleTool),
  place('routeTaskTool', ['RouteTaskOptions'], agent.routeTaskTool),
  place('delegateTool', ['SubAgentsOptions', 'SubAgentSources'], agent.delegateTool),
  place('loadProjectAgentDefinitions', ['ProjectAgentsOptions'], (options) =>
    agent.loadProjectAgentDefinitions('.', options),
  ),
  place('defineTool', ['ToolDefinition'], tool.defineTool),
  place('new FsStore', ['FsStoreOptions'], (options) => new FsStore(options)),
  place('new FsRegistry', ['FsRegistryOptions'], (options) => new FsRegistry(options)),
  place('new PostgresRegistry', ['PostgresRegistryOptions'], (options) => new PostgresRegistry(options)),
  place('new S3Registry', ['S3RegistryOptions'], (options) => new S3Registry(options)),
  place('new SqliteRegistry', ['SqliteRegistryOptions'], (options) => new SqliteRegistry(options)),
  place('NamedKeys.open', ['NamedKeysOptions'], (options) => NamedKeys.open(new MemoryRegistry(), options)),
  place('addKey', ['KeyGrant'], (options) => addKey(new MemoryRegistry(), options)),
  place('readKeys', ['ReadKeysOptions'], (options) => Array.fromAsync(readKeys(new MemoryRegistry(), options))),
  place('readEntries', ['ReadEntriesOptions'], (options) =>
    Array.fromAsync(readEntries(new MemoryRegistry(), 'keys', options)),
  ),
  place('new MemoryStore', ['MemoryStoreOptions'], (options) => new MemoryStore(options)),
  place('new SqliteStore', ['SqliteStoreOptions'], (options) => new SqliteStore(options)),
  place(
    'new PostgresStore',
    ['PostgresStoreOptions', 'PostgresStoreSettings'],
    (options) => new PostgresStore(options),
  ),
  place(
    'new S3Store',
    ['S3StoreOptions'],
    (options) => new S3Store({ client: new S3Client(), ...(options as object), bucket: 'x' }),
  ),
  place('list', ['ListQuery'], (query) => new MemoryStore().list(query)),
  place('checkStore', ['StoreCheckOptions'], (options) => Array.fromAsync(checkStore(new MemoryStore(), options))),
  place('copyConversation', ['CopyOptions'], (options) =>
    copyConversation('x', new MemoryStore(), new MemoryStore(), options),
  ),
  place('copyStore', ['StoreCopyOptions'], (options) =>
    Array.fromAsync(copyStore(new MemoryStore(), new MemoryStore(), options)),
  ),
  place('createHooks', ['HooksOptions'], (options) => createHooks({}, options)),
  place('reviveHooks', ['HooksOptions'], reviveHooks),
  place('loadHooks', ['HooksOptions'], (options) => loadHooks('.', options)),
  place('createSecretVault', ['SecretVaultOptions'], createSecretVault),
  place('fernetCipher', ['FernetCipherOptions'], (options) => fernetCipher('a key', [], options)),
  place('sandbox', ['SandboxOptions'], sandbox),
  place('guardedFetch', ['GuardedFetchOptions'], guardedFetch),
  place('tracedStore', ['TracedStoreOptions'], (options) => tracedStore(new MemoryStore(), options)),
  place('RunSpans', ['RunSpansOptions'], (options) => new RunSpans({} as never, options)),
  place('createStuckDetector', ['StuckDetectorOptions'], createStuckDetector),
  place('createStuckDetector: thresholds', ['StuckThresholds'], (thresholds) => createStuckDetector({ thresholds })),
  place('connectEditor', ['EditorOptions'], (options) => connectEditor({} as never, options)),
  place('createAgUiHandler', ['AgUiHandlerOptions'], createAgUiHandler),
  place('createChatHandler', ['ChatHandlerOptions'], createChatHandler),
  place('createA2AHandler', ['A2AHandlerOptions'], createA2AHandler),
  place('TaskNotifications', ['TaskNotificationsOptions'], (options) => new TaskNotifications(options)),
  place('TaskReceivers', ['TaskReceiversOptions'], (options) => new TaskReceivers(options)),
  place('createMcpHandler', ['McpHandlerOptions'], createMcpHandler),
  place('createOpenAIHandler', ['OpenAIHandlerOptions'], createOpenAIHandler),
  place('servedProtocols', ['ServedProtocolsOptions'], (options) => servedProtocols(['mcp'], options)),
  place('createChatTransport', ['ChatTransportOptions'], createChatTransport),
  place('toUIMessageStreamResponse', ['UiMessageStreamOptions'], (options) =>
    toUIMessageStreamResponse(new ConversationState() as never, options),
  ),
  place('turns', ['TurnsOptions'], (options) => turns(new ConversationState() as never, options)),
  place('untilRest', ['RestOptions'], (options) =>
    Array.fromAsync(untilRest(new ConversationState() as never, options)),
  ),
  place('answerRun', ['AnswerOptions'], (options) => answerRun(new ConversationState() as never, 'nothing', options)),
  place('takeRequest', ['TakeOptions'], (options) => takeRequest(new ConversationState() as never, {}, options)),
  place('terminal', ['TerminalOptions'], terminal),
  place('fileEditor', ['FileEditorOptions'], fileEditor),
  place('presetTools', ['PresetToolsOptions'], presetTools),
  place('taskTracker', ['TaskTrackerOptions'], taskTracker),
  place('mcpServers', ['McpServersOptions'], (options) => mcpServers({}, options)),
  place('eventTree', ['EventTreeOptions'], (options) => eventTree([], options)),
  place('sequenceDiagram', ['SequenceDiagramOptions'], (options) => sequenceDiagram([], options)),
  place('new TerminalVisualizer', ['TerminalVisualizerOptions'], (options) => new TerminalVisualizer(options)),
  place('agentServer', ['AgentServerOptions', 'HostOptions', 'AuthOptions'], (options) =>
    agentServer({ ...server, ...(options as object) }),
  ),
  place('auditTrail', ['AuditTrailOptions'], (options) => Array.fromAsync(auditTrail(new MemoryStore(), options))),
  place('renewStoredSecrets', ['RenewStoredSecretsOptions'], (options) => renewStoredSecrets('x', options)),
  place('renewSecrets', ['RenewSecretsOptions'], (options) => renewSecrets(options)),
  place('new SettingsStore', ['SettingsStoreOptions'], (options) => new SettingsStore('x', undefined, options)),
  place('guardAccess', ['AccessGuardOptions', 'AuthOptions'], (options) => guardAccess(undefined as never, options)),
  place('guardAccess: cors', ['CorsOptions'], (cors) => guardAccess(undefined as never, { cors, report: () => {} })),
  place('agentServer: cors', ['CorsOptions'], (cors) => agentServer({ ...server, cors })),
  place('agentServer: workspaceHost', ['WorkspaceHostOptions'], (workspaceHost) =>
    agentServer({ ...server, workspaceHost }),
  ),
  place('agentServer: logins', ['LoginsOptions'], (logins) => agentServer({ ...server, logins } as never)),
  place('agentServer: mcpTrials', ['McpTrialsOptions'], (mcpTrials) => agentServer({ ...server, mcpTrials } as never)),
  place('agentServer: worktrees', ['WorktreeOptions'], (worktrees) => agentServer({ ...server, worktrees })),
  place('agentServer: runtimes', ['RuntimesOptions'], (runtimes) =>
    agentServer({ ...server, runtimes: { default: 'local', offered: {}, ...(runtimes as object) } }),
  ),
  place('openStore', ['OpenStoreOptions'], (options) => openStore('fs:x', options)),
  place('startStudio', ['StudioOptions'], startStudio),
  place('startStudio: serverKey', [], (serverKey) => startStudio({ serverKey })),
  place('agentServer: oidc', ['OidcOptions'], (oidc) =>
    agentServer({
      ...server,
      oidc: { issuer: 'https://x', audience: 'x', roles: [{ scopes: ['read'] }], ...(oidc as object) },
    }),
  ),
  place('agentServer: usage', ['UsageOptions'], (usage) =>
    agentServer({ ...server, usage: { registry: new MemoryRegistry(), ...(usage as object) } }),
  ),
  place('agentServer: receivers', ['ReceiversOptions'], (receivers) =>
    agentServer({ ...server, receivers: { registry: new MemoryRegistry(), ...(receivers as object) } }),
  ),
  place('agentServer: webhooks', ['WebhooksOptions'], (webhooks) =>
    agentServer({ ...server, webhooks: { registry: new MemoryRegistry(), endpoints: [], ...(webhooks as object) } }),
  ),
  place('agentServer: webhooks: endpoints: 0', ['WebhookOptions'], (endpoint) =>
    agentServer({
      ...server,
      webhooks: {
        registry: new MemoryRegistry(),
        endpoints: [{ name: 'x', url: 'https://x', ...(endpoint as object) }],
      },
    }),
  ),
  place('agentServer: fleet', ['FleetOptions'], (fleet) => agentServer({ ...server, fleet })),
];

/** Types whose names sound like options, and why no place of the table takes them. */
export const otherTypes: Readonly<Record<string, string>> = {
  RunOptions: 'a method of conversations',
  RemoteRunOptions: 'a method of conversations',
  ApproveOptions: 'a method of conversations',
  SendOptions: 'a method of conversations',
  TitleOptions: 'a method of conversations',
  GoalOptions: 'a method of conversations',
  SubscribeOptions: 'a method of conversations',
  CloseOptions: 'a method of conversations',
  OpenOptions: 'runtimes give it to stores',
  ForkOptions: 'runtimes give it to stores',
  CheckOptions: 'checkStore gives it to stores',
  CondenseOptions: 'agents give it to condensers',
  AssessOptions: 'runtimes give it to analyzers',
  SharedOptions: 'the part of the options that both runtimes take',
  UncheckedOptions: 'runtimes give them to checkSharedOptions, which looks at their values alone',
  StateOptions: 'runtimes give it to the state',
  AppendOptions: 'runtimes give it to the state',
  FoldOptions: 'runtimes give it to the state',
  MaskJsonOptions: 'runtimes give it to the mask',
  BaseStateOptions: 'stores give it to the writer of a file',
  ChatFormatOptions: 'agents give it to the writer of requests',
  ResponsesFormatOptions: 'agents give it to the writer of requests',
  ClockOptions: 'runtimes give it to the clock',
  TimerOptions: 'the platform takes it',
  SleepOptions: 'the platform takes it',
  DeadlineOptions: 'the platform takes it',
  ReadOptions: 'runtimes give it to the state',
  LlmErrorOptions: 'the members of an error',
  GivenOptions: 'a type of arguments',
  MakeOptionError: 'a function',
  CallWithOptions: 'a name',
};
