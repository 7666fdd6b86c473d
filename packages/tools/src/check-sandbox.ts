import { checks } from '@conv/core';
import type { Sandbox } from '@conv/core/tool';

/** Checks the option `sandbox` of a tool. Throws `TypeError` for anything but a sandbox, which would confine nothing. */
export function checkSandbox(tool: string, sandbox: Sandbox | undefined): void {
  if (sandbox !== undefined && typeof sandbox?.open !== 'function')
    throw new TypeError(checks.wrongValue(`${tool}: sandbox`, 'a sandbox such as sandbox() of @conv/sandbox', sandbox));
}
