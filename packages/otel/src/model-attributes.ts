import type { CallRecord } from '@conv/core/store';

/** Returns the attributes that name the model of a call, such as `openai/gpt-5`. */
export function modelAttributes({ model }: Pick<CallRecord, 'model'>): Record<string, string> {
  const slash = model.indexOf('/');
  return {
    'gen_ai.provider.name': slash > 0 ? model.slice(0, slash) : 'unknown',
    'gen_ai.request.model': model.slice(slash + 1),
  };
}
