/** Holds every text that the agent says. Substitution is literal: a brace stays a brace. */
import type { IntentType } from './schemas.ts';

interface Listed {
  readonly description: string;
  readonly completed: boolean;
}

export const SUCCESS = {
  add_task: (description: string) => `I've added '${description}' to your tasks.`,
  list_tasks: (tasks: readonly Listed[]) => (tasks.length ? `Here are your tasks:\n${formattedList(tasks)}` : NO_TASKS),
  complete_task: (description: string) => `Done! '${description}' has been marked as completed.`,
  update_task: (old: string, now: string) => `Updated '${old}' to '${now}'.`,
  delete_task: (description: string) => `'${description}' has been deleted.`,
} as const;

export const CLARIFICATION = {
  ambiguous: (options: readonly string[]) =>
    `I'm not sure what you'd like to do. Would you like to ${options.join(', ')}, or something else?`,
  multipleMatches: (reference: string, descriptions: readonly string[]) =>
    `I found multiple tasks that match '${reference}':\n${numberedList(descriptions)}\nWhich one did you mean?`,
  noMatch: (reference: string, list: string) =>
    list ? `${notFound(reference)} Here are your current tasks:\n${list}` : `${notFound(reference)} ${NO_TASKS}`,
  missingDescription: 'What would you like the task to say?',
  whichTask: 'Which task did you mean?',
} as const;

export const CONFIRMATION = {
  deleteTask: (description: string) =>
    `Are you sure you want to delete '${description}'? This cannot be undone. Reply 'yes' to confirm or 'no' to cancel.`,
  cancelled: "OK, I won't delete that task.",
  expired: "The confirmation request has expired. Please try again if you'd like to delete the task.",
} as const;

export const FAILURE = {
  tool: (action: string) => `Sorry, I wasn't able to ${action}. Please try again.`,
  refused: (action: string, why: string) => `Sorry, I wasn't able to ${action}: ${why}.`,
  authMissing: 'I need you to be logged in to manage tasks.',
  invalidInput: "I didn't understand that. Could you rephrase?",
  descriptionLength: 'Task description must be 1-1000 characters',
  timeout: 'This is taking longer than expected. Please try again.',
  /** A task that is missing and one that belongs to somebody else read the same. */
  taskNotFound: (reference: string) => notFound(reference),
} as const;

export const CHAT = {
  greeting: 'Hello! How can I help you with your tasks today?',
  fallback: "I'm here to help you manage your tasks. Is there something task-related I can help you with?",
} as const;

const NO_TASKS = "You don't have any tasks yet.";
const notFound = (reference: string) => `I couldn't find a task matching '${reference}'.`;

const box = (task: Listed) => (task.completed ? '[x]' : '[ ]');

/** The list of tasks as it is shown (R2-109). */
const formattedList = (tasks: readonly Listed[]): string =>
  tasks
    .map((task, i) => `${i + 1}. ${box(task)} ${task.description} (${task.completed ? 'completed' : 'pending'})`)
    .join('\n');

/** The list of the no-match question: as in the contract's own example, without the state in words. */
export const currentTasks = (tasks: readonly Listed[]): string =>
  tasks.map((task, i) => `${i + 1}. ${box(task)} ${task.description}`).join('\n');

/** Tasks to choose from, by number (R2-110). */
const numberedList = (descriptions: readonly string[]): string =>
  descriptions.map((text, i) => `${i + 1}. ${text}`).join('\n');

/** How a question back names each wish (R2-100). */
const OPTION_WORDS: Partial<Record<IntentType, string>> = {
  CREATE_TASK: 'add it as a new task',
  COMPLETE_TASK: 'mark an existing task as complete',
  UPDATE_TASK: 'update an existing task',
  DELETE_TASK: 'delete an existing task',
  LIST_TASKS: 'see your tasks',
};

/** At least the two options that the contract's sentence has room for. */
export function optionsOf(possible: readonly IntentType[]): readonly string[] {
  const words = [...new Set(possible.flatMap((intent) => OPTION_WORDS[intent] ?? []))];
  const usual = (['CREATE_TASK', 'COMPLETE_TASK'] as const).flatMap((intent) => OPTION_WORDS[intent] ?? []);
  return words.length >= 2 ? words : [...new Set([...words, ...usual])].slice(0, 2);
}
