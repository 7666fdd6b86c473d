import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { END_OF_CALL } from './call-tags.ts';

/** Returns the beginning of the message with the result of a call. */
export function resultHead(name: string): string {
  return `EXECUTION RESULT of [${name}]:`;
}

const FORM = `To call a tool, end your answer with the call in exactly this form:

<function=name_of_the_tool>
<parameter=name_of_a_parameter>value</parameter>
<parameter=name_of_another_parameter>
a value
of several lines
</parameter>
${END_OF_CALL}

- Give every required parameter. Write texts as they are, without quotes and without escapes, and everything else as JSON.
- Begin the call on a line of its own, not in a block of code. Call one tool at a time and write nothing after the call. The next message has the result, after "${resultHead('name_of_the_tool')}".
- What you write before the call is shown to the user. If you need no tool, answer in words.`;

/** Returns the text that describes tools, and how to call them, to a model that knows no calls. */
export function toolsAsText(tools: readonly LanguageModelV4FunctionTool[]): string {
  const described = tools.map(
    ({ name, description = '', inputSchema }) =>
      `## ${name}\n\n${description}\n\nParameters, as JSON Schema: ${JSON.stringify(inputSchema)}`,
  );
  return `You can call these tools:\n\n${described.join('\n\n')}\n\n${FORM}`;
}
