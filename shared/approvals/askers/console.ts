/** Asks whoever sits at the terminal. Waits as long as it takes. */
import type { Action, ActionSpace } from '../../contract/action-space.ts';
import { checkSettings, having } from '../../domain/settings.ts';
import { spelledOut } from '../../domain/text/invisible-characters.ts';
import type { Answer, Asker, CallQuestion, ChoiceQuestion, TextQuestion } from '../../ports/asker.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { spacedJson } from './text.ts';

/**
 * An asker at the terminal: one line is one answer. `y` approves a call, and another line rejects it with the line as the reason. `a` approves a
 * proposed action, the number of another action chooses it, and everything else rejects. The end of the input and an input that fails are refusals;
 * to a question for a text they are silence.
 *
 * @param options `terminal`: where to write and read. Default: the terminal of this process
 * @example
 * const service = new PermissionService({ ask: consoleAsker(), askTimeout: '2m' });
 * console.log(await service.decide('Bash', { command: 'make' }));
 */
export function consoleAsker(options: { readonly terminal?: Terminal | undefined } = {}): Asker {
  checkSettings(options, { terminal: having('write', 'readLine') });
  const { terminal = processTerminal() } = options;
  return async (question, { signal }) => {
    terminal.write(promptOf(question));
    const line = await lineOf(terminal, signal);
    // The cursor still stands behind the question.
    if (signal.aborted) terminal.write('\n');
    signal.throwIfAborted();
    switch (question.kind) {
      case 'text':
        return line === null ? { type: 'silent' } : { type: 'text', text: line.trim() };
      case 'call':
        return answerToCall(line?.trim() ?? '');
      case 'choice':
        return answerToChoice(line?.trim().toLowerCase() ?? '', question.actionSpace);
      default:
        return question satisfies never;
    }
  };
}

/** `null` for the end of the input, and for an input that fails: neither approves. */
async function lineOf(terminal: Terminal, signal: AbortSignal): Promise<string | null> {
  try {
    return await terminal.readLine(signal);
  } catch {
    return null;
  }
}

function promptOf(question: CallQuestion | ChoiceQuestion | TextQuestion): string {
  switch (question.kind) {
    case 'text':
      return `💬 ${spelledOut(question.title)}\n   > `;
    case 'call':
      return callPrompt(question);
    case 'choice':
      return choicePrompt(question);
    default:
      return question satisfies never;
  }
}

function callPrompt({ tool, input, reason }: CallQuestion): string {
  const why = reason ? `   Why: ${spelledOut(reason)}\n` : '';
  return `🔔 Tool [${spelledOut(tool)}] requires human approval\n   Args: ${spacedJson(input ?? {})}\n${why}   Approve? (y/n): `;
}

/** Control characters of an agent are shown, not sent to the terminal. */
function choicePrompt({ proposed, actionSpace: { actions } }: ChoiceQuestion): string {
  const lines = [
    `Proposed action: execute flow "${spelledOut(proposed.flow_id)}"`,
    `  Persona: ${spelledOut(proposed.persona_id)}`,
  ];
  if (proposed.entry_operation_id !== undefined)
    lines.push(`  Entry operation: ${spelledOut(proposed.entry_operation_id)}`);
  const instances = instancesOf(proposed);
  if (instances) lines.push(`  Instances:${instances}`);
  const verdicts = (proposed.enabling_verdicts ?? []).map((verdict) => spelledOut(verdict.verdict_type));
  if (verdicts.length > 0) lines.push(`  Enabling verdicts: [${verdicts.join(', ')}]`);
  for (const { entity_id, current_state, possible_transitions } of proposed.affected_entities ?? []) {
    const next = possible_transitions.map(spelledOut).join(', ');
    lines.push(`  Entity ${spelledOut(entity_id)}: ${spelledOut(current_state)} -> [${next}]`);
  }
  if (actions.length > 1) {
    lines.push('Alternatives:');
    for (const [index, action] of actions.entries()) {
      const { flow_id } = action;
      if (flow_id !== proposed.flow_id) lines.push(`  [${index}] ${spelledOut(flow_id)}${instancesOf(action)}`);
    }
  }
  return `${lines.join('\n')}\n[a]pprove / [r]eject / [N] select alternative? `;
}

/** Two actions of one flow may be about other instances. */
const instancesOf = ({ instance_bindings: bindings = {} }: Action): string =>
  Object.keys(bindings).length > 0 ? ` ${spacedJson(bindings)}` : '';

function answerToCall(line: string): Answer {
  const word = line.toLowerCase();
  if (word === 'y' || word === 'yes') return { type: 'approved' };
  // The typed text is the reason; an empty line rejects without one.
  return line === '' ? { type: 'rejected' } : { type: 'rejected', reason: line };
}

function answerToChoice(line: string, { actions }: ActionSpace): Answer {
  if (line === 'a' || line === 'approve') return { type: 'approved' };
  const index = /^\+?\d+$/.test(line) ? Number(line) : -1;
  return actions[index] ? { type: 'chose', index } : { type: 'rejected' };
}
