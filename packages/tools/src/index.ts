/**
 * Tools for agents: a terminal, a file editor, a task tracker and the tools of MCP servers.
 *
 * @packageDocumentation
 */
export { executorTools, type ExecutorToolsOptions } from './executor/executor-tools.ts';
export { fileEditor, type FileEditorOptions } from './file-editor/file-editor.ts';
export { type McpAuthorization, type McpAuthRecord, type McpAuthRecords } from './mcp/authorization.ts';
export { finishMcpLogin, type FinishedMcpLogin } from './mcp/finish-login.ts';
export { type McpAuth, type McpConfig, type McpServerConfig, type McpValues } from './mcp/mcp-config.ts';
export { mcpLoginState, type McpLoginState } from './mcp/login-state.ts';
export { isMcpError, McpError, type McpErrorCode, type NeededLogin } from './mcp/mcp-error.ts';
export { mcpServers, type McpServersOptions } from './mcp/mcp-servers.ts';
export type { McpSampling } from './mcp/sampling.ts';
export { presetTools, type PresetToolName } from './preset/preset-tools.ts';
export type { PresetToolsOptions } from './preset/preset-tool.ts';
export { shellEnvironment } from './terminal/shell-environment.ts';
export { taskTracker, type TaskTrackerOptions } from './task-tracker/task-tracker.ts';
export { terminal, type TerminalOptions } from './terminal/terminal.ts';
