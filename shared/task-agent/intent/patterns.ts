/**
 * Holds the contract's intent table.
 *
 * First in each row stand the contract's ways of saying a thing, then others. Rows are in order of precedence; the
 * words are read as `phrases.ts` says.
 */
import type { IntentType } from '../decisions/schemas.ts';
import { type Phrase, phrase } from './phrases.ts';

export type TaskIntent = Extract<IntentType, `${string}_TASK` | `${string}_TASKS`>;

interface Row {
  readonly intent: TaskIntent;
  readonly phrases: readonly Phrase[];
}

const row = (intent: TaskIntent, ...sources: string[]): Row => ({ intent, phrases: sources.map(phrase) });

const FINISHED = 'done|finished|completed|complete';
const CHANGE = 'change|update|modify|edit|rename';
const STATE = 'open|pending|current|remaining|done|finished|completed|complete';
const NEVER = "don't|dont|can't|cant|cannot|mustn't|mustnt|shouldn't|shouldnt|never";

export const PATTERNS: readonly Row[] = [
  row(
    'LIST_TASKS',
    `show [me] [all] [of] [my] [the] [${STATE}] tasks`,
    `what are [all] [of] my|the [${STATE}] tasks`,
    'my list',
    'what do i need to do',
    'show me',
    // the same in other words
    'show [my] [the] list|todo|todos',
    `list [all] [my] [the] [${STATE}] tasks`,
    'what tasks do i have',
    'what do i have to do',
    'my tasks',
    "what's|whats on my to-do|todo|task list",
    'what is on my [to-do|todo|task] list',
    '^my to-do|todo|task list$',
    '^list|tasks|todos$',
  ),
  row(
    'CREATE_TASK',
    'add [a|the] [new] task [to] {description?}',
    'remind me [to] {description?}',
    'create [a] [new] task [to] {description?}',
    'create {description?}',
    'i need to {description?}',
    `${NEVER} [ever] [let] [me|us] forget [to] {description?}`,
    `do|can|must|should|to|me|us|let's|lets not [let] [me|us] forget [to] {description?}`,
    'todo: {description?}',
    // the same in other words
    'to-do: {description?}',
    'new task [to] {description?}',
    'remember to {description?}',
    '^add {description*} to my tasks|list|todo$',
    '^put {description*} on|in my|the tasks|list|todo$',
  ),
  row(
    'COMPLETE_TASK',
    `mark {task_reference*} as ${FINISHED}`,
    `mark [as] ${FINISHED} {task_reference?}`,
    `mark {task_reference*} ${FINISHED}`,
    'check off {task_reference?}',
    'check {task_reference*} off$',
    'i did {task_reference?}',
    "i|i've [have] done|finished|completed [with] {task_reference?}",
    "i'm|we're done|finished [with] {task_reference?}",
    'i am done|finished [with] {task_reference?}',
    '{task_reference} is|are done|finished|completed',
    'done|finished|completed [with] {task_reference}',
    '{task_reference} done|finished|completed$',
    'done|finished|completed',
    // the same in other words
    '^complete {task_reference?}',
    `set {task_reference*} to|as ${FINISHED}`,
  ),
  row(
    'UPDATE_TASK',
    `${CHANGE} {task_reference} to {new_description?}`,
    `${CHANGE} to {new_description?}`,
    `${CHANGE} {task_reference?}`,
    'make it {new_description?}',
    // An addition joins the words before it
    'add {addition*} to {task_reference} task$',
  ),
  row(
    'DELETE_TASK',
    'delete {task_reference?}',
    'remove {task_reference?}',
    'cancel {task_reference?}',
    'get rid of {task_reference?}',
    'forget [about] {task_reference?}',
  ),
  // "add groceries and show my list": at the start of a message "add" alone is enough, unless it adds to a task
  row('CREATE_TASK', '^add {description}'),
];

/** Compared with the whole message; the shorter forms are those of the contract's own project. */
export const CONFIRM_YES: ReadonlySet<string> = new Set([
  ...['yes', 'confirm', 'do it', 'go ahead', 'sure', 'ok'],
  ...['y', 'yeah', 'yep', 'yup', 'okay'],
]);
export const CONFIRM_NO: ReadonlySet<string> = new Set([
  ...['no', 'cancel', "don't", 'never mind', 'stop'],
  ...['n', 'nope', 'nevermind', 'dont'],
]);

/** Single words that are talk, not the name of a task. */
export const GREETINGS: ReadonlySet<string> = new Set(['hello', 'hi', 'hey']);
export const SMALL_TALK: ReadonlySet<string> = new Set([...GREETINGS, 'bye', 'goodbye', 'thanks', 'thank']);

/** Words that join two wishes; a comma does too. With `or` between them nobody can say which one is meant. */
export const CONNECTORS: ReadonlySet<string> = new Set(['and', 'then', 'also', 'or']);

/** Politeness before the wish, skipped when looking for what a message starts with. */
export const OPENERS: readonly Phrase[] = [
  'please|also|then|just|now|so|ok|okay|yes|no|hi|hello|hey',
  'can|could|would|will you',
  "can't|couldn't|won't|wouldn't you",
  "why don't|dont you",
  'why not',
  'how about you|we',
  'are you able to',
  'is it possible|ok|okay to',
  'i want|wish to',
  "i'd like to",
  'i would like to',
].map(phrase);
