/**
 * Conversations in containers of their own: {@link ContainerWorkspace} starts an agent server in a confined container of Docker or
 * Podman, and finds it again.
 *
 * @packageDocumentation
 */
export { ContainerWorkspace } from './container-workspace.ts';
export type { ContainerFate, ContainerLimits, ContainerWorkspaceOptions } from './container-options.ts';
