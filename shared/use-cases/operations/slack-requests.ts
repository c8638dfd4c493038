/**
 * Performs requests of people in Slack: revoking grants, and being out of office.
 *
 * Only the gate's operators' function may do so: in the name of the person and on the record. The person is always
 * notified, and everybody who approves if it changed something.
 */
import { type AskedInSlack, askedInSlack } from '../../contract/operation.ts';
import { EVERY_SESSION } from '../../contract/session.ts';
import { samePerson } from '../../domain/approval/approval.ts';
import { type Arrival, arrivalOf } from '../../domain/approval/order.ts';
import { roleOf } from '../../domain/aws/sender.ts';
import { sha256Hex } from '../../domain/digest.ts';
import type { ReadJson } from '../../domain/raw-json.ts';
import { grantsIn } from '../../domain/session.ts';
import { canRevoke } from '../approvals/voting/revocable-grants.ts';
import { changeDelegation, type DelegationChange } from '../people/delegation.ts';
import { announce, type NotedOperation, note, statedOperation } from './announce.ts';
import { refusedRequest, requestDoneBy, requestEnded, requestWords } from './announcement-text.ts';
import type { OperatorDependencies, OperatorMessage } from './dependencies.ts';
import { delegationDone, type OperationResult, refuse, unknownName } from './refusal.ts';
import { changeSession } from './session-operations.ts';

/** How the record calls the function that passes it on, where it passed on what nobody understands. */
const SLACK_OPERATOR = 'slack';

/** Whether the function passed it on that verifies Slack's requests. */
export const isFromSlack = ({ principal }: OperatorMessage, { slackRoleId }: OperatorDependencies): boolean =>
  slackRoleId !== undefined && roleOf(principal) === slackRoleId;

/** `setAside`: its refusal, where it is not done any more. */
export async function performSlackRequest(
  message: OperatorMessage,
  json: ReadJson,
  deps: OperatorDependencies,
  setAside?: OperationResult,
): Promise<void> {
  const parsed = json.ok ? askedInSlack.safeParse(json.value) : undefined;
  if (!parsed?.success)
    return note(
      message,
      SLACK_OPERATOR,
      { ...(setAside ?? refuse('invalid_operation')), detail: '', operation: statedOperation(json) },
      deps,
    );
  const asked = parsed.data;
  const { person, operationId } = asked;
  const by = `${person.team}/${person.user}`;
  const what = textOf(asked);
  const done =
    setAside ?? (await perform(asked, by, arrivalOf(`${by}/${operationId}`, message, deps.clock.now()), deps));
  await note(message, by, { ...done, detail: what, person, operation: subjectOf(asked, what) }, deps);
  const id = sha256Hex(`${by}#${operationId}`);
  const { settings } = deps.policy;
  const known = Object.values(settings.people).find((one) => samePerson(one, person));
  await deps.cards.announce(person.user, requestEnded(requestWords(asked, settings, 'your'), done), id);
  if (done.accepted)
    await announce(requestDoneBy(known?.name ?? asked.name, requestWords(asked, settings, 'their')), id, deps);
}

async function perform(
  asked: AskedInSlack,
  by: string,
  sent: Arrival,
  deps: OperatorDependencies,
): Promise<OperationResult> {
  const { person, wanted } = asked;
  const id = sha256Hex(`${by}#${asked.operationId}`).slice(0, 16);
  const doneBy = (change: DelegationChange): OperationResult =>
    delegationDone(change, wanted.kind, refusedRequest(change.code));
  switch (wanted.kind) {
    case 'revoke': {
      const member = { person, groups: groupsOf(asked, deps) };
      const operation = { ...wanted, operationId: asked.operationId, reason: 'asked in Slack' };
      const unknown = unknownName(operation, deps.policy);
      if (unknown) return unknown;
      return changeSession(operation, by, sent, deps, (row) => {
        const grant = grantsIn(row, deps.clock.now()).find((one) => one.id === wanted.grant);
        if (!grant) return 'unknown_grant';
        return canRevoke(grant, member, deps.policy) ? undefined : 'may_not_revoke';
      });
    }
    case 'delegate': {
      const { to, until } = wanted;
      const isListed = Object.values(deps.policy.settings.people).some((one) => samePerson(one, to));
      if (!isListed || samePerson(to, person)) return refuse('unknown_person');
      if (!groupsOf(asked, deps).length) return refuse('no_place');
      return doneBy(await changeDelegation({ person, to, until }, by, { id, sent }, deps));
    }
    case 'undelegate':
      return doneBy(await changeDelegation({ person }, by, { id, sent }, deps));
    default:
      return wanted satisfies never;
  }
}

/** As `aboutOperation` has it, without people: they are the entry's own. */
function subjectOf({ operationId, wanted }: AskedInSlack, about: string): NotedOperation['operation'] {
  const { kind } = wanted;
  const named =
    kind === 'revoke' ? { agent: wanted.agent, ...(wanted.session ? { session: wanted.session } : {}) } : {};
  const until = kind === 'delegate' ? { until: wanted.until } : {};
  return { operationId, kind, about: about.slice(0, 1000), ...named, ...until };
}

/** The groups that the person is in: those of the policy file are looked up again; of a Slack user group only Slack knows. */
function groupsOf({ person, groups }: AskedInSlack, { policy }: OperatorDependencies): string[] {
  return Object.keys(policy.settings.approvers).filter((group) =>
    policy.userGroupOf(group)
      ? groups.includes(group)
      : policy.membersOf(group).some((member) => samePerson(member, person)),
  );
}

function textOf({ wanted }: AskedInSlack): string {
  switch (wanted.kind) {
    case 'revoke':
      return `grant ${wanted.grant} of ${wanted.agent}, ${wanted.session ?? EVERY_SESSION}, is taken back`;
    case 'delegate':
      return `${wanted.to.user} votes in their place until ${wanted.until}`;
    case 'undelegate':
      return 'nobody votes in their place any more';
    default:
      return wanted satisfies never;
  }
}
