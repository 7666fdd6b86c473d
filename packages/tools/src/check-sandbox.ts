import { checks } from '@conv/core';
import { ToolError, type Executor, type Sandbox } from '@conv/core/tool';

/** Checks the option `sandbox` of a tool. Throws `TypeError` for anything but a sandbox, which would confine nothing. */
export function checkSandbox(tool: string, sandbox: Sandbox | undefined): void {
  if (sandbox !== undefined && typeof sandbox?.open !== 'function')
    throw new TypeError(checks.wrongValue(`${tool}: sandbox`, 'a sandbox such as sandbox() of @conv/sandbox', sandbox));
}

/** Throws `ToolError` `UNSUPPORTED` for a sandbox of this machine around a tool that acts on another one. */
export function checkElsewhere(tool: string, sandbox: Sandbox | undefined, executor: Executor | undefined): void {
  if (sandbox && executor)
    throw new ToolError(
      'UNSUPPORTED',
      `The ${tool} acts in an executor, which the sandbox of this machine does not confine: leave out the option sandbox, and start the executor with one.`,
    );
}
