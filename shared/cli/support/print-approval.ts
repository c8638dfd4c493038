/**
 * Prints one waiting approval: its call, approvers and round.
 *
 * Text of the agent has no effect on the terminal.
 */
import { approvesThen, nextOf } from '../../adapters/slack/cards/card-deadline.ts';
import type { CardSource } from '../../adapters/slack/cards/card-source.ts';
import { visibleJson } from '../../adapters/slack/elements/text.ts';
import { CARD } from '../../adapters/slack/texts/card.ts';
import type { Approval, AskedCall, Proposal } from '../../contract/index.ts';
import { agentWords } from '../../domain/agent-words.ts';
import { callsOf, currentStage, isTerminal, rejectionsSoFar, tallyOf } from '../../domain/approval/approval.ts';
import { shownSince } from '../../domain/approval/shown.ts';
import { askedCallOf } from '../../domain/proposal/asked-call.ts';
import { canQuestionBeJudged } from '../../domain/redaction/judgeable/judgeable.ts';
import type { ApprovalView } from '../../ports/stores/approval-store.ts';
import { CliError, type Io } from './io.ts';
import { duration, moment, plain, plainName } from './terminal.ts';

/** @throws CliError if there is none, or it waits no more. Reads its partition alone, which holds no secret and no token. */
export async function readWaiting(pid: string, name: string, stateTable: string): Promise<ApprovalView> {
  const [{ dynamoApprovalStore }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/approvals/approval-store.ts'),
    import('./clients.ts'),
  ]);
  const inputs = { put: async () => undefined, get: async () => STORED_ELSEWHERE };
  // The record is only written to, and not from here.
  const tables = { state: stateTable, audit: '' };
  const view = await dynamoApprovalStore(await dynamo(), tables, inputs).read(pid);
  if (!view) throw new CliError(`nothing waits for people that is named ${plain(name)}`);
  const { status, follows } = view.approval;
  if (isTerminal(status) || view.decision)
    throw new CliError(`${plain(name)} waits no more: it is ${view.decision?.outcome ?? status}`);
  if (follows !== undefined)
    throw new CliError(`${plain(name)} waits for the same call that was asked before it: answer that one`);
  return view;
}

/** A proposal that is too large for a row is in a bucket that only the gate reads. */
const STORED_ELSEWHERE = '';

/** Tells what the card tells: somebody who votes here has no card beside it. */
export async function textOfWaiting(view: ApprovalView, io: Io): Promise<string> {
  const { approval, proposal: text, sealed } = view;
  const [{ sourceOf }, { askedTimes }] = await Promise.all([
    import('../../adapters/slack/posting/source.ts'),
    import('../../adapters/slack/cards/card-stage.ts'),
  ]);
  const source = text === STORED_ELSEWHERE ? undefined : sourceOf(view);
  const lines = [
    ...headOf(view, source?.proposal, io),
    ...askedTimes({ followers: view.waiters.length }),
    ...(sealed === undefined ? [] : ['Secrets were taken out; a mark stands where each was.']),
    ...(source && !canQuestionBeJudged(approval.question, source.proposal) ? [CARD.hidden] : []),
    ...(source ? [...(await askedOf(source)), ...wordsOf(source.proposal)] : [TOO_LARGE]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The actions of the flow that could run instead: of several the gate takes none. */
export async function textOfFlow({ proposal: text }: ApprovalView, flow: string): Promise<string> {
  const { storedProposal } = await import('../../domain/proposal/stored-proposal.ts');
  const proposal = text === STORED_ELSEWHERE ? undefined : storedProposal(text);
  if (!proposal) return `${TOO_LARGE}\n`;
  const actions = proposal.kind === 'action-choice' ? proposal.actionSpace.actions : [];
  return actions.flatMap((one) => (one.flow_id === flow ? [`${visibleJson(one)}\n`] : [])).join('');
}

const TOO_LARGE =
  'What would run is over 8 KB: only its card shows it, behind “Show everything” or “Read all, then decide…”.';

function headOf({ approval, cards }: ApprovalView, proposal: Proposal | undefined, io: Io): string[] {
  const { proposalId, agent, round, sessionId, question, votes, requestedAt } = approval;
  const against = rejectionsSoFar(approval);
  const given = votes.filter((vote) => vote.stage === (approval.stage ?? 0) && !against.includes(vote)).length;
  const no = against.length ? `, ${against.length} against` : '';
  const { group, quorum, escalateTo } = currentStage(approval);
  const asked = approval.escalated && escalateTo ? `${group} and ${escalateTo.group}` : group;
  const { at, next } = nextOf({ approval, proposal, shownSince: shownSince(approval, cards) });
  const left = at - io.now();
  const approves = next.kind === 'approves' ? approvesThen(approval) : '';
  const then = next.kind === 'escalates' ? `, then ${next.to} are asked too` : approves;
  const stage = question.stages.length > 1 ? `, stage ${(approval.stage ?? 0) + 1} of ${question.stages.length}` : '';
  return [
    plain(`${proposalId} of ${agent}, session ${sessionId}, round ${round}`),
    plain(`asked of ${asked}${stage}: ${given} votes, ${quorum} needed${no}; severity ${question.severity}`),
    plain(`since ${moment(requestedAt)}, ${left > 0 ? `${duration(left)} left${then}` : 'its time is over'}`),
  ];
}

/** The call that would run if it is approved now: with the arguments as people changed them, if they did. */
async function askedOf(source: CardSource): Promise<string[]> {
  const { approval, proposal } = source;
  const { question } = approval;
  const [{ actionNoteText, noteText, shapeTexts }, { changesOf }] = await Promise.all([
    import('../../adapters/slack/cards/call-blocks.ts'),
    import('../../adapters/slack/cards/card-question.ts'),
  ]);
  const noted = (notes: string) => (notes ? [`${CARD.takeNote}${notes}`] : []);
  switch (question.kind) {
    case 'calls': {
      const calls = question.calls.flatMap((asked) => {
        const call = proposal.kind === 'tool-call' ? askedCallOf(asked, proposal) : undefined;
        const why = plain(`${standsText(asked, approval)}, asked because: ${asked.why}`);
        const head = `${plain(asked.id)}: ${plainName(asked.toolName)} ${why}`;
        const folder = call?.cwd === undefined ? [] : [plain(`in the folder ${call.cwd}`)];
        const notes = noteText(asked, source, ROOM);
        const shape = call ? shapeTexts(call) : [];
        return ['', head, ...folder, visibleJson(call?.input ?? null), ...shape, ...noted(notes)];
      });
      const changes = changesOf(source).map((text) => `${CARD.changed}${text.replaceAll('\n', ' ')}`);
      const starts = proposal.kind === 'tool-call' ? proposal.starts : undefined;
      return [...calls, ...changes, ...(starts ? [CARD.starts(starts.agentId, starts.sessionId)] : [])];
    }
    case 'choice': {
      const { index, flowId, personaId } = question.proposed;
      const action = proposal.kind === 'action-choice' ? proposal.actionSpace.actions[index] : undefined;
      const head = plain(
        `${flowId} as ${personaId} would run, chosen by ${question.policy}, asked because: ${question.why}`,
      );
      return ['', head, visibleJson(action ?? null), ...noted(actionNoteText(action))];
    }
    case 'input':
      return [
        '',
        'the agent asks:',
        plain(question.question),
        ...(question.choices ?? []).map((one) => plain(`- ${one}`)),
      ];
    default:
      return question satisfies never;
  }
}

const ROOM = { why: 500, argument: 500 };

/** Says where a call stands: in a batch it may have its answer already, and whoever approves the rest does not approve it again. */
function standsText({ id, input, severity }: AskedCall, approval: Approval): string {
  const { question } = approval;
  const tally = callsOf(question).length > 1 ? tallyOf(approval, id) : 'open';
  if (tally === 'rejected') return 'is rejected and does not run';
  const isApart = severity !== question.severity ? `, severity ${severity}` : '';
  return `would run${input ? ', as a person edited it' : ''}${tally === 'approved' ? ', and is approved' : ''}${isApart}`;
}

/** The agent's own words, marked as such, after what would run. */
function wordsOf(proposal: CardSource['proposal']): string[] {
  const words = agentWords(proposal);
  return words.length ? ['', 'The agent says:', ...words.map((text) => `> ${plain(text)}`)] : [];
}
