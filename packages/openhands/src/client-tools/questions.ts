/**
 * Reads questions to the user, which are calls of `ask_user`, and checks answers to them.
 *
 * @module
 */
export { ASK_USER as TOOL_NAME, isAskUser, isQuestion } from './ask-user.ts';
export { questionFields as fieldsOf, type QuestionField } from './question-fields.ts';
export { answerTo, type FieldsAnswer, type Question, readQuestion as read } from './question-answer.ts';
