const ways = {
  people: 'message sender queued blocked-message unanswered rejection message-again forked removed',
  names: 'first-title first-tag title tag fork-title fork-tag description',
  model: 'thought reasoning said unstreamed unstreamed-reasoning said-again dropped interrupted condensed',
  questions: 'question side-answer question-again side-answer-again',
  commands: 'command typed named cat flood flood-end idle',
  encodedOutput: 'out-json out-json-json out-json-ascii out-url out-form out-hex',
  base64Output: 'out-base64 out-base64-one out-base64-two out-base64-wrapped out-base64url',
  otherTools: 'editor-create editor-view editor-replace task task-notes spill',
  calls: 'argument argument-name argument-json argument-deep summary rejected-call',
  wrongCalls: 'malformed-argument wrong-argument unknown-tool',
  results: 'result result-json result-json-json result-base64 result-number',
  exceptionsOfTools:
    'thrown thrown-aggregate thrown-refusal thrown-text thrown-long broken broken-cause broken-last-cause',
  exceptionsOfModels: 'refused-request refused-key',
  exceptionsOfAgents: 'step step-cause step-last-cause step-inner step-text step-member',
  exceptionsOfOthers: 'subscriber-error analyzer analyzer-error',
  hooks: 'hook-context hook-prompt hook-stdout hook-stderr hook-async hook-named',
  hooksThatSayNo: 'hook-denied hook-refused hook-blocked hook-thrown hook-stop',
  settings: 'agent-state system-suffix tool-description',
};

/** The ways that secrets take in a run, by the names of their marks. */
export const expectedWays: readonly string[] = Object.values(ways).flatMap((names) => names.split(' '));

/** Ways that masking closes: members of errors that are left out, and hooks that are refused. */
export const closedWays: readonly string[] = ['step-map', 'step-set', 'step-quiet', 'step-symbol', 'hook-command'];
