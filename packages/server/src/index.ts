/**
 * An agent server as a Fastify plugin: conversations over HTTP and WebSocket, as OpenHands' clients speak them.
 *
 * @packageDocumentation
 */
export { keyDigests, type AuthOptions, type KeyDigests } from './auth/access-keys.ts';
export type { CorsOptions } from './auth/cross-origin.ts';
export type { RunObserver, RunWork } from './background-runs.ts';
export type { FleetObserver, FleetOptions } from './fleet/fleet-options.ts';
export { agentServer, type AgentServer } from './plugin.ts';
export type { ServerMetrics } from './http/serve-metrics.ts';
export type { ServerAbout } from './http/serve-server-info.ts';
export { Keep } from './keeping/keep.ts';
export type { Knowledge } from './knowledge/knowledge.ts';
export type { MachineOptions } from './machine/machine.ts';
export { ConversationHost, type HostLoad } from './conversation-host.ts';
export type { NewConversation } from './open-local.ts';
export type { HostedConversation, SendOptions } from './hosted-conversation.ts';
export type { LiveConversation, LiveSubscriber } from './live-conversation.ts';
export type { Lease } from './loaded-conversations.ts';
export type { AgentServerOptions, HostOptions, MakeTitle, ServerProfiles } from './server-options.ts';
export type { SocketObserver } from './sockets/socket-observer.ts';
export type { Worktree, WorktreePlan } from './worktrees/worktree.ts';
export type { WorktreeOptions, Worktrees } from './worktrees/worktrees.ts';
export type { Reading } from './stored-conversation.ts';
