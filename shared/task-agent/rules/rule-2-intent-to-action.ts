/** Applies rule 2: what each intent leads to. */
import { ask, invoke, requestConfirmation, respond } from '../decisions/decisions.ts';
import { type AgentDecision, type IntentType, intentType, type UserIntent } from '../decisions/schemas.ts';
import { CHAT, CLARIFICATION, CONFIRMATION, FAILURE, optionsOf, SUCCESS } from '../decisions/templates.ts';
import { GREETINGS } from '../intent/patterns.ts';
import { readUtterance } from '../intent/utterance.ts';
import { description as descriptionSchema, type ListedTask, type ToolName } from '../tools/tool-schemas.ts';
import { fetchTasks, onTask, param } from './on-task.ts';
import { CONFIRMATION_LIFETIME_MS } from './rule-1-pending-confirmation.ts';
import { runTool, type ToolOutcome, type Turn, unfinished } from './turn.ts';

export async function rule2IntentToAction(turn: Turn, intent: UserIntent): Promise<AgentDecision> {
  switch (intent.intent_type) {
    case 'CREATE_TASK':
      return createTask(turn, param(intent, 'description'));
    case 'LIST_TASKS':
      return listTasks(turn);
    case 'COMPLETE_TASK':
      return onTask(turn, intent, { tool: 'complete_task', openOnly: true, act: completeTask });
    case 'UPDATE_TASK':
      return updateTask(turn, intent);
    case 'DELETE_TASK':
      return onTask(turn, intent, { tool: 'delete_task', openOnly: false, act: confirmDeletion });
    case 'AMBIGUOUS':
      return ask(CLARIFICATION.ambiguous(optionsOf(possibleIntents(intent))));
    case 'GENERAL_CHAT':
      return respond(isGreeting(turn.context.message) ? CHAT.greeting : CHAT.fallback);
    case 'CONFIRM_YES':
    case 'CONFIRM_NO':
      return respond(CHAT.fallback); // There is nothing to confirm
    default:
      return intent.intent_type satisfies never;
  }
}

async function createTask(turn: Turn, description: string): Promise<AgentDecision> {
  if (!description) return ask(CLARIFICATION.missingDescription);
  if (!fits(description)) return respond(FAILURE.descriptionLength);
  const outcome = await runTool(turn, 'add_task', { description });
  if (outcome.kind !== 'ok') return unfinished(turn, 'INVOKE_TOOL', outcome, { tool: 'add_task' });
  return invoke('INVOKE_TOOL', turn.calls, SUCCESS.add_task(description));
}

async function listTasks(turn: Turn): Promise<AgentDecision> {
  const outcome = await fetchTasks(turn);
  if (outcome.kind !== 'ok') return unfinished(turn, 'INVOKE_TOOL', outcome, { tool: 'list_tasks' });
  return invoke('INVOKE_TOOL', turn.calls, SUCCESS.list_tasks(outcome.tasks));
}

async function updateTask(turn: Turn, intent: UserIntent): Promise<AgentDecision> {
  const text = param(intent, 'new_description');
  if (!param(intent, 'task_reference')) return ask(CLARIFICATION.whichTask);
  if (!text) return ask(CLARIFICATION.missingDescription);
  if (!fits(text)) return respond(FAILURE.descriptionLength);
  return onTask(turn, intent, {
    tool: 'update_task',
    openOnly: false,
    act: async (_, task) => {
      const outcome = await runTool(turn, 'update_task', { task_id: task.id, description: text });
      return finished(turn, outcome, 'update_task', task, SUCCESS.update_task(task.description, text));
    },
  });
}

async function completeTask(turn: Turn, task: ListedTask): Promise<AgentDecision> {
  const outcome = await runTool(turn, 'complete_task', { task_id: task.id });
  return finished(turn, outcome, 'complete_task', task, SUCCESS.complete_task(task.description));
}

/** Asking is all that a request to delete can do. */
async function confirmDeletion(turn: Turn, task: ListedTask): Promise<AgentDecision> {
  return requestConfirmation(CONFIRMATION.deleteTask(task.description), {
    action_type: 'DELETE_TASK',
    task_id: task.id,
    task_description: task.description,
    created_at: new Date(turn.now).toISOString(),
    expires_at: new Date(turn.now + CONFIRMATION_LIFETIME_MS).toISOString(),
  });
}

function finished(turn: Turn, outcome: ToolOutcome, tool: ToolName, task: ListedTask, text: string): AgentDecision {
  if (outcome.kind === 'ok') return invoke('INVOKE_TOOL', turn.calls, text);
  return unfinished(turn, 'INVOKE_TOOL', outcome, { tool, reference: task.description });
}

const fits = (text: string): boolean => descriptionSchema.safeParse(text).success;

function possibleIntents(intent: UserIntent): readonly IntentType[] {
  const parsed = intentType.array().safeParse(intent.extracted_params?.['possible_intents']);
  return parsed.success ? parsed.data : [];
}

function isGreeting(message: string): boolean {
  const [first, second] = readUtterance(message).words.map((word) => word.key);
  const isTimeOfDay = first === 'good' && ['morning', 'afternoon', 'evening'].includes(second ?? '');
  return isTimeOfDay || GREETINGS.has(first ?? '');
}
