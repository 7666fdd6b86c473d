/**
 * Shared parts of the harnesses that kill processes and break networks: seeded numbers, recording subscribers, comparisons with a log,
 * how the cost of work grows, what work leaves behind, generated logs, and the rows that CI tries.
 *
 * @packageDocumentation
 */
export { alter } from './alter.ts';
export { AuthorizationServer, TOKEN_CANARY, type AuthorizationServerOptions } from './authorization-server.ts';
export { checkMessages, messageText, type Sent } from './check-messages.ts';
export { checkRecorder } from './check-recorder.ts';
export { breakageOf, commandLine, seedOf, wholeNumber } from './command-line.ts';
export { commitIds, watchIds } from './commit-ids.ts';
export { Author, message } from './conversation-author.ts';
export { costGrowth } from './cost-growth.ts';
export { fillLog, type FillOptions } from './fill-log.ts';
export { Findings, type DeliveryCounter, type DeliveryFindings } from './findings.ts';
export { filesWith } from './files-with.ts';
export { fillTable } from './full-table.ts';
export { FaultyStore } from './faulty-store.ts';
export { KillableStore } from './killable-store.ts';
export { keptPort } from './kept-port.ts';
export { leaks, type LeaksOptions, type ResourceCounts } from './leaks.ts';
export { lostJournalMembers, lostStoreMembers } from './lost-members.ts';
export { readLog, type ImagedCommit, type LogImage } from './log-image.ts';
export { ManualPlatform } from './manual-platform.ts';
export { oldCall } from './old-call.ts';
export { playProgram, type Played } from './play-program.ts';
export { ProtectedMcpServer, type ReceivedMcpCall } from './protected-mcp-server.ts';
export { Random } from './random.ts';
export { ACTS, RandomLog, spent, toolCall, type Act } from './random-log.ts';
export { Recorder, type Given } from './recorder.ts';
export { isStoreKind, STORE_KINDS, type StoreKind } from './store-kind.ts';
export { makeTwins, see, seeRepaired, type Seen, type Twins } from './twins.ts';
export { only, StreamingAgent, type Think } from './streaming-agent.ts';
export { firstInCi, inCi, isCi, stepsInCi } from './short-form.ts';
export { readTransitionTable, type TransitionCell } from './transition-table.ts';
export { eventId } from './turn-event.ts';
export { WebhookReceiver, type ReceivedWebhook, type WebhookAnswer } from './webhook-receiver.ts';
export { wireCall, wireMessage, wireResult } from './wire-event.ts';
export { writeConversation, type Writing } from './write-conversation.ts';
export { WriterProcess } from './writer-process.ts';
export { WrappingStore, type JournalChanges } from './wrapping-store.ts';
