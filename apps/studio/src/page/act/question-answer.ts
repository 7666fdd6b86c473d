import type { CallAnswer, Json, JsonObject } from '@conv/core';
import { isObject } from '@conv/core/platform';
import { isToolError, text } from '@conv/core/tool';
import { questions } from '@conv/openhands/client-tools';

/** Errors in an answer by the names of fields; that of the whole answer has the name `''`. */
export type Mistakes = ReadonlyMap<string, string>;

/**
 * Returns the fields as their schema types them. An empty field is left out, unless it has a default: an asker would get the
 * default that the person deleted.
 */
export function fieldsIn(fields: JsonObject, form: FormData): JsonObject {
  const answer: Record<string, Json> = {};
  for (const field of questions.fieldsOf(fields)) {
    const { name, type } = field;
    const given = form
      .getAll(name)
      .map(String)
      .filter((value) => value !== '');
    const [first] = given;
    if (type === 'boolean') answer[name] = first !== undefined;
    else if (type === 'choices' && (first !== undefined || 'default' in field)) answer[name] = given;
    else if (type === 'text' && (first !== undefined || 'default' in field)) answer[name] = first ?? '';
    else if (first !== undefined && type !== 'choices') answer[name] = Number(first);
  }
  return answer;
}

/** Returns the errors in an answer, by the rules of the conversation. */
export function mistakesIn(
  question: questions.Question,
  { content, isError = false }: CallAnswer & { readonly content: string },
): Mistakes {
  try {
    questions.answerTo(question, { content: text(content), isError });
    return new Map();
  } catch (error) {
    if (!isToolError(error)) throw error;
    const issues: unknown = isObject(error.cause) ? error.cause['issues'] : undefined;
    const names = new Set(questions.fieldsOf(question.fields ?? {}).map(({ name }) => name));
    const found = (Array.isArray(issues) ? issues : []).filter(isIssue).map(({ path, message }): [string, string] => {
      const name = typeof path[0] === 'string' ? path[0] : '';
      return names.has(name) ? [name, message] : ['', [name, message].filter(Boolean).join(': ')];
    });
    return new Map(found.length > 0 ? found : [['', error.message]]);
  }
}

function isIssue(value: unknown): value is { readonly path: readonly unknown[]; readonly message: string } {
  return isObject(value) && Array.isArray(value['path']) && typeof value['message'] === 'string';
}
