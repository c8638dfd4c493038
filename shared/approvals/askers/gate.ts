/** Asks the deployed gate: its rules first, then people in Slack. */
import type { Action } from '../../contract/action-space.ts';
import type { Decision } from '../../contract/decision.ts';
import { choiceDigest } from '../../domain/digest.ts';
import { CountersignError } from '../../domain/errors.ts';
import { checkSettings, having, text } from '../../domain/settings.ts';
import type { Answer, Asker, CallQuestion, ChoiceQuestion, TextQuestion } from '../../ports/asker.ts';
import type { DeployedGate } from './deployed-gate.ts';

/** Settings of `gateAsker`. */
export interface GateAskerOptions {
  /**
   * Name of a policy in the deployment's file that asks people about the first action of a space (`human-in-the-loop` over `first-available`).
   * Questions about an action need it. The policy sets how long people have, and the file's rules on `Flow` count as well.
   */
  readonly policy?: string | undefined;
  /** Where calls run, absolute: the gate judges paths against it. */
  readonly cwd?: string | undefined;
}

/** Nobody decided: the gate could not, its policy asked nobody, or silence stands for a yes there. Counts as a refusal. */
export class GateAskerError extends CountersignError {
  override readonly name: string = 'GateAskerError';
}

/**
 * An asker whose questions are proposals to the deployed gate. A call that a rule of the gate allows is approved without a person, and one that a
 * rule denies is rejected. A proposal is withdrawn when nobody waits for its answer any more.
 *
 * Rejects with `GateAskerError`, and with the errors of the client: then nothing is approved.
 *
 * @param gate a `CountersignClient`
 * @example
 * const ask = gateAsker(CountersignClient.fromEnvironment(), { policy: 'attended' });
 * console.log(await new PermissionService({ ask, askTimeout: '10m' }).decide('Bash', { command: 'make' }));
 */
export function gateAsker(gate: DeployedGate, options: GateAskerOptions = {}): Asker {
  having('decide', 'proposeChoice', 'proposeQuestion', 'wait', 'cancel')(gate, 'gate');
  checkSettings(options, { policy: text, cwd: text });
  const { policy, cwd } = options;
  return async (question, { signal }) => {
    signal.throwIfAborted();
    switch (question.kind) {
      case 'call':
        return askAboutCall(gate, question, cwd, signal);
      case 'choice':
        return askAboutChoice(gate, question, policy, signal);
      case 'text':
        return askForText(gate, question, signal);
      default:
        return question satisfies never;
    }
  };
}

async function askAboutCall(
  gate: DeployedGate,
  { tool, input, reason }: CallQuestion,
  cwd: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return { type: 'rejected', reason: 'The arguments of a call have to be a JSON object.' };
  const decision = await gate.decide({ tool, input, cwd, reason, signal });
  const by = decision.decidedBy.type === 'human' ? decision.decidedBy.id : undefined;
  if (decision.outcome === 'approved')
    return { type: 'approved', by, ...(decision.edited ? { input: decision.input } : {}) };
  if (decision.outcome === 'expired') return { type: 'silent' };
  return { type: 'rejected', by, reason: decision.message };
}

async function askAboutChoice(
  gate: DeployedGate,
  { proposed, actionSpace, snapshot }: ChoiceQuestion,
  policy: string | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  if (policy === undefined)
    throw new GateAskerError('no_policy', 'policy: name the policy of the deployment that asks about actions');
  const digest = choiceDigest(proposed);
  const others = actionSpace.actions.filter((action) => choiceDigest(action) !== digest);
  const proposalId = await gate.proposeChoice(policy, { ...actionSpace, actions: [proposed, ...others] }, snapshot);
  return chosen(await decisionOn(gate, proposalId, signal), actionSpace.actions, digest);
}

async function askForText(gate: DeployedGate, { title }: TextQuestion, signal: AbortSignal): Promise<Answer> {
  const proposalId = await gate.proposeQuestion(title);
  const { outcome, answer, decidedBy, reasonCode, message } = await decisionOn(gate, proposalId, signal);
  if (outcome === 'expired') return { type: 'silent' };
  if (outcome === 'denied') return { type: 'rejected', by: decidedBy.id, reason: message };
  if (outcome !== 'answered' || decidedBy.type !== 'human' || typeof answer !== 'string')
    throw new GateAskerError(reasonCode, message);
  return { type: 'text', text: answer, by: decidedBy.id };
}

async function decisionOn(gate: DeployedGate, proposalId: string, signal: AbortSignal): Promise<Decision> {
  try {
    return await gate.wait(proposalId, { signal });
  } catch (error) {
    // Nobody may answer now what nobody waits for. The reason why it stopped is worth more than this one's failure.
    if (signal.aborted) await gate.cancel(proposalId, 'nobody waits for the answer any more').catch(() => undefined);
    throw error;
  }
}

function chosen(decision: Decision, actions: readonly Action[], proposed: string): Answer {
  const { outcome, actionDigest, decidedBy, reasonCode, message } = decision;
  if (outcome === 'expired') return { type: 'silent' };
  if (outcome === 'denied') return { type: 'rejected', by: decidedBy.id, reason: message };
  const index = actions.findIndex((candidate) => choiceDigest(candidate) === actionDigest);
  if (outcome !== 'answered' || decidedBy.type !== 'human' || index < 0) throw new GateAskerError(reasonCode, message);
  return actionDigest === proposed
    ? { type: 'approved', by: decidedBy.id }
    : { type: 'chose', index, by: decidedBy.id };
}
