/** Finds the one task that a wish is about: the list first, then what the reference names in it. */
import { ask, respond } from '../decisions/decisions.ts';
import { type AgentDecision, type UserIntent, uuid } from '../decisions/schemas.ts';
import { CLARIFICATION, currentTasks, FAILURE } from '../decisions/templates.ts';
import { isOnlyPunctuation, readUtterance } from '../intent/utterance.ts';
import { readData } from '../tools/define-tools.ts';
import type { ListedTask, ToolName } from '../tools/tool-schemas.ts';
import { chosenFrom } from './choice.ts';
import { resolveReference } from './rule-3-task-reference.ts';
import { runTool, type ToolOutcome, type Turn, unfinished } from './turn.ts';

interface TaskAction {
  readonly tool: ToolName;
  readonly openOnly: boolean;
  readonly act: (turn: Turn, task: ListedTask) => Promise<AgentDecision>;
}

export async function onTask(turn: Turn, intent: UserIntent, action: TaskAction): Promise<AgentDecision> {
  const reference = param(intent, 'task_reference');
  if (!reference) return ask(CLARIFICATION.whichTask);
  const listed = await fetchTasks(turn);
  if (listed.kind !== 'ok') return unfinished(turn, 'INVOKE_TOOL', listed, { tool: action.tool });
  const { tasks } = listed;
  const resolution =
    chosenFrom(turn.context.message_history, reference, tasks) ??
    // "oh" after a question is no task "call John".
    resolveReference(reference, tasks, { openOnly: action.openOnly, wholeWords: turn.isReply });
  switch (resolution.kind) {
    case 'one':
      // A tool is called only with an id that is a UUID, whoever stated it.
      if (!uuid.safeParse(resolution.task.id).success) return respond(FAILURE.taskNotFound(reference));
      return action.act(turn, resolution.task);
    case 'several': {
      const descriptions = resolution.tasks.map((task) => task.description);
      return ask(CLARIFICATION.multipleMatches(reference, descriptions));
    }
    case 'none':
      return ask(CLARIFICATION.noMatch(reference, currentTasks(tasks)));
    default:
      return resolution satisfies never;
  }
}

type Listed = { readonly kind: 'ok'; readonly tasks: readonly ListedTask[] } | Exclude<ToolOutcome, { kind: 'ok' }>;

export async function fetchTasks(turn: Turn): Promise<Listed> {
  const outcome = await runTool(turn, 'list_tasks', {});
  if (outcome.kind !== 'ok') return outcome;
  const isOwn = (row: ListedTask) => row.owner === undefined || row.owner === turn.context.user_id;
  return { kind: 'ok', tasks: readData('list_tasks', outcome.data).filter(isOwn) };
}

/** A classifier may be anybody's: a value that is no text, or names nothing, is not there. */
export function param(intent: UserIntent, name: string): string {
  const value = intent.extracted_params?.[name];
  return typeof value === 'string' && !isOnlyPunctuation(value) ? readUtterance(value).text : '';
}
