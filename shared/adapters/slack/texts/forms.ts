/** Holds every sentence of the forms in which people say more than a click. */
import { listed } from './card.ts';

export const FORMS = {
  back: 'Back',
  notCounted: 'Nothing changed',
  notShown: 'The form could not be opened in time; nothing changed. Click again.',
  /** Another click would end alike. */
  notTaken:
    'Slack did not take the form; nothing changed. Answer on the card, or ask an operator to answer in a terminal: countersign pending shows all of it, and countersign decide answers.',
  toldWordForWord: 'The agent is told this, word for word.',
  why: 'Why?',
  ownWords: 'In your own words',
  reasons: 'Reason',
  reject: { title: 'Reject', submit: 'Reject', about: (name: string) => `You reject: ${name}` },
  answer: {
    title: 'Answer the agent',
    submit: 'Answer',
    label: 'Your answer',
    instead: (name: string) => `This is not run: ${name}. The agent is told what you write instead.`,
    asks: (agent: string, question: string) => `${agent} asks: ${question}`,
    wrong: 'Write an answer of at most 3,000 characters.',
  },
  edit: {
    title: 'Change the arguments',
    submit: 'Ask with these',
    about: (name: string) => `Instead of: ${name}`,
    rules: 'All rules are asked again with the new arguments: a deny wins, and people may be asked again.',
    json: 'Arguments, as JSON',
    /** The path of an argument that the tool's schema refuses, in words. */
    problem: (name: string, text: string) =>
      `${name} ${text.replace('must be string', 'must be text').replace('must be object', 'must be a group of fields').replace('must be integer', 'must be a whole number').replace('must be array', 'must be a list')}`,
    all: 'The arguments',
  },
  substitute: {
    title: 'Another action',
    submit: 'Run this instead',
    about: (name: string) => `Instead of: ${name}`,
    rules: 'The action that you choose runs, unless a rule denies it.',
    label: 'Action',
    none: 'There is no other action that could run instead.',
    left: (n: number) =>
      `${n === 1 ? '1 more action does' : `${n} more actions do`} not fit here, and cannot be chosen.`,
  },
  each: {
    title: 'Decide each call',
    submit: 'Send',
    label: 'Calls that may run',
    more: 'More calls that may run',
    hint: 'All others are rejected.',
    reason: 'Why the others may not run',
  },
  session: {
    title: 'Approve for session',
    submit: 'Approve',
    about: (name: string) => `You approve: ${name}`,
    scope: (session: string, agent: string, until: string) =>
      `For the session ${session} of ${agent}, at most ${until} from now. A rule that denies or asks still wins.`,
    label: 'What is approved',
    exactly: 'Exactly this, whenever it is asked again',
    exactlyHint: 'Same tool, same arguments, same folder',
    every: (tools: readonly string[]) => `Every call of ${listed(tools)}`,
    everyHint: 'Whatever its arguments are, in the same folder',
    wrong: 'Choose what is approved.',
  },
  pass: {
    title: 'Ask somebody else',
    submit: 'Ask them',
    about: (name: string) => `About: ${name}`,
    rules:
      'You are asked no more; in a place of your own you may still answer. Whoever you choose may answer in your place, for this one only.',
    label: 'Whom?',
    hint: 'Without a name nobody answers in your place.',
  },
  tooLong: (most: number) => `Use at most ${most.toLocaleString('en')} characters.`,
} as const;
