import type { ModelTurn, ScriptedCall } from '@conv/conformance';
import { calls, fail, say, toolResults, type ModelRequest, type Script, type Turn } from '@conv/testing-model-server';

/** Returns the turns of a model server for the script of a conversation suite. */
export function modelTurns(turns: readonly ModelTurn[]): Script {
  return turns.map((turn) => async (request: ModelRequest) => {
    if (!('error' in turn)) {
      turn.asked?.();
      turn.reads?.(
        request.messages.map(({ role }) => role),
        toolResults(request).map(({ text }) => text),
      );
      await turn.after;
    }
    return turnFor(turn, request);
  });
}

function turnFor(turn: ModelTurn, request: ModelRequest): Turn {
  if ('error' in turn) return fail(400, { message: turn.error });
  if ('text' in turn) return say(turn.text);
  return calls(turn.calls.map((call) => ({ name: call.name, arguments: argumentsOf(call, request) })));
}

/** A model says what it thinks of the risk of a call where the tool, as it is offered, has a parameter for it. */
function argumentsOf({ name, arguments: given, risk }: ScriptedCall, { tools }: ModelRequest): object | string {
  const parameters = tools.find((tool) => tool.name === name)?.parameters['properties'] ?? {};
  const asked = risk !== undefined && Object.hasOwn(parameters as object, 'security_risk');
  return asked && typeof given === 'object' ? { security_risk: risk, ...given } : given;
}
