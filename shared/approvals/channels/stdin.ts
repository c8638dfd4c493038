/** Asks whoever sits at the terminal. Waits as long as it takes. */

import type { Action, ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import { type ApprovalChannel, ApprovalResult } from '../../policies/approval-channel.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/**
 * One line is one answer; the end of the input, and an input that fails, are a refusal. Never throws.
 *
 * @example
 * const policy = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), new StdinApprovalChannel(), 180_000);
 * console.log(await policy.choose(space, snapshot));
 */
export class StdinApprovalChannel implements ApprovalChannel {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal = processTerminal()) {
    this.#terminal = terminal;
  }

  async requestApproval(
    proposed: Action,
    actionSpace: ActionSpace,
    _snapshot?: AgentSnapshot,
    signal?: AbortSignal,
  ): Promise<ApprovalResult> {
    this.#terminal.write(approvalPrompt(proposed, actionSpace));
    let line: string | null;
    try {
      line = await this.#terminal.readLine(signal);
    } catch {
      return ApprovalResult.Rejected;
    }
    // The cursor still stands behind the question.
    if (signal?.aborted) this.#terminal.write('\n');
    return readAnswer(line ?? '', actionSpace);
  }
}

/** Control characters of an agent are shown, not sent to the terminal. */
export function approvalPrompt(proposed: Action, { actions }: ActionSpace): string {
  const lines = [
    `Proposed action: execute flow "${shown(proposed.flow_id)}"`,
    `  Persona: ${shown(proposed.persona_id)}`,
  ];
  const verdicts = (proposed.enabling_verdicts ?? []).map((verdict) => shown(verdict.verdict_type));
  if (verdicts.length > 0) lines.push(`  Enabling verdicts: [${verdicts.join(', ')}]`);
  for (const { entity_id, current_state, possible_transitions } of proposed.affected_entities ?? []) {
    const next = possible_transitions.map(shown).join(', ');
    lines.push(`  Entity ${shown(entity_id)}: ${shown(current_state)} -> [${next}]`);
  }
  if (actions.length > 1) {
    lines.push('Alternatives:');
    for (const [index, { flow_id }] of actions.entries()) {
      if (flow_id !== proposed.flow_id) lines.push(`  [${index}] ${shown(flow_id)}`);
    }
  }
  return `${lines.join('\n')}\n[a]pprove / [r]eject / [N] select alternative? `;
}

function readAnswer(line: string, { actions }: ActionSpace): ApprovalResult {
  const answer = line.trim().toLowerCase();
  if (answer === 'a' || answer === 'approve') return ApprovalResult.Approved;
  const selected = /^\+?\d+$/.test(answer) ? actions[Number(answer)] : undefined;
  return selected ? ApprovalResult.Substitute(selected) : ApprovalResult.Rejected;
}

const shown = (text: string): string =>
  text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
