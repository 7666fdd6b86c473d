import type { ToolProvider, ToolSource } from '@conv/core/tool';

/** Whether the names of what `source` has are known only when it is asked. */
export function isToolProvider(source: ToolSource | ToolProvider): source is ToolProvider {
  return 'provide' in source;
}
