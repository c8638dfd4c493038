/** Puts an operation of an operator into words, for the record and for those who approve. */
import type { DecideOperation, Operation, RuleOperation } from '../../contract/operation.ts';

/** People of the policy file, whom an operator names by their keys there, as `called` has it. */
export function withPeople(wanted: Operation, called: (key: string) => string): Operation {
  if (wanted.kind === 'delegate') return { ...wanted, person: called(wanted.person), to: called(wanted.to) };
  return wanted.kind === 'undelegate' ? { ...wanted, person: called(wanted.person) } : wanted;
}

export function textOf(done: Operation): string {
  switch (done.kind) {
    case 'pause':
      return pauseText(done);
    case 'decide':
      return `${decideText(done)} ${done.agent} ${done.proposalId}`;
    case 'set-mode':
      return `set the mode of ${done.agent}, ${sessionText(done)}, to ${done.mode}`;
    case 'revoke':
      return `revoke what was approved for ${done.agent}, ${sessionText(done)}${done.tool ? `, tool ${done.tool}` : ''}${done.grant ? `, grant ${done.grant}` : ''}`;
    case 'add-rule':
      return `add the rule ${ruleText(done)}${done.until === undefined ? '' : ` until ${done.until}`}`;
    case 'remove-rule':
      return `remove the rule ${ruleText(done)}`;
    case 'delegate':
      return `${done.to} votes in the place of ${done.person}${done.from ? ` from ${done.from}` : ''} until ${done.until}`;
    case 'undelegate':
      return `nobody votes in the place of ${done.person} any more`;
    case 'replay':
      return `send ${done.event === undefined ? 'the events' : `the event ${done.event}`} from ${done.from} until ${done.until} to the webhook ${done.webhook} again`;
    case 'redrive':
      return `bring ${done.limit === undefined ? '' : `at most ${done.limit} `}dead letters of ${done.queue} back`;
    case 'forget':
      return `take ${done.person} out of the record`;
    case 'void-permits':
      return 'void every permit, every approval for later and every allow rule of operators that was given until now';
    default:
      return done satisfies never;
  }
}

function pauseText({ scope, effect, until }: Extract<Operation, { kind: 'pause' }>): string {
  const where =
    'all' in scope
      ? 'everything'
      : 'agent' in scope
        ? `every call of the agent ${scope.agent}`
        : `every call of ${scope.tool}`;
  if (effect === 'lift') return `lift the pause of ${where}`;
  const end = until === undefined ? '' : ` until ${until}`;
  return `pause ${where}${end}: ${effect === 'deny' ? 'it is denied' : 'people are asked'}`;
}

function decideText(done: DecideOperation): string {
  if (done.choice === 'substitute') return `substitute ${done.flow} in`;
  const calls = 'calls' in done && done.calls ? ` calls ${done.calls.join(', ')} of` : '';
  const remember = done.choice === 'approve' && done.remember ? ` for the ${done.remember}` : '';
  return `${done.choice}${remember}${calls}`;
}

const sessionText = ({ session }: { readonly session?: string | undefined }): string =>
  session === undefined ? 'every session' : `session ${session}`;

/** Names the scope, and what the operation does to questions that wait: a reader in a hurry must not take one session for all. */
export function scopeText(wanted: Operation): string {
  // The cards of questions that wait look as before, and no drawing reads whether there is a pause.
  if (wanted.kind === 'pause' && wanted.effect === 'deny')
    return ' A call that waits for people does not run if they approve it now: it ends, and the agent has to propose it again after the pause.';
  if (wanted.kind !== 'set-mode' && wanted.kind !== 'add-rule') return '';
  if (wanted.session !== undefined) return ' It holds in that session alone, and the agent may open another.';
  return wanted.kind === 'set-mode'
    ? ' It holds in every session of the agent; where a session has a mode of its own, the stricter holds.'
    : ' It holds in every session of the agent.';
}

const ruleText = (operation: RuleOperation): string =>
  `${operation.effect} ${operation.pattern} for ${operation.agent}, ${sessionText(operation)}`;
