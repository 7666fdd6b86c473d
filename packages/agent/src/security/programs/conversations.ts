import { namesOf, type Program } from '../commands/call.ts';

/** Commands of `conv` that change conversations, decide on calls that wait, or start another agent. */
const CHANGES = /^(?:chat|run|resume|fork|delete|confirm-damage|copy|backup|serve)$/;

/** Judges the programs of this project, which reach the conversations and the server that an agent works for. */
const conversations: Program = ({ name, texts, shell }) => {
  const command = texts.find((text) => !text.startsWith('-')) ?? '';
  if (command === 'token' && name === 'conv-server') shell.report('read-keys');
  else if (CHANGES.test(command) || (command === 'check' && texts.includes('--repair'))) shell.report('supervisor');
};

/** Programs of this project. */
export const conversationPrograms: Readonly<Record<string, Program>> = namesOf(conversations, 'conv conv-server');
