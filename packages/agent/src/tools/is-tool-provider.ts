import type { ToolProvider, ToolSource } from '@conv/core/tool';

/** True if `source` is a provider, whose tools are known only when it is asked for them. */
export function isToolProvider(source: ToolSource | ToolProvider): source is ToolProvider {
  return 'provide' in source;
}
