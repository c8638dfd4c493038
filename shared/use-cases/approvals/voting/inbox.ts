/** Gathers one person's inbox: waiting for them, waiting for others, and decided. */
import type { Approval, Person, Proposal } from '../../../contract/index.ts';
import { proposal as proposalSchema } from '../../../contract/proposal.ts';
import { nextDeadline } from '../../../domain/approval/approval.ts';
import { parseJson } from '../../../domain/raw-json.ts';
import { SEVERITIES } from '../../../domain/severity.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Inbox, InboxEntry, PendingApprovals } from '../../../ports/inbox.ts';
import type { ApprovalStore } from '../../../ports/stores/approval-store.ts';
import type { VoteHistory } from '../../../ports/stores/vote-history.ts';
import {
  groupsGivenTo,
  groupsOfPerson,
  membersOf,
  seatsDelegatedTo,
  type VoterDependencies,
  voterStatus,
} from '../../people/seats.ts';
import { pendingFor } from './pending-for.ts';

interface InboxDependencies {
  readonly deps: VoterDependencies & { readonly approvals: Pick<ApprovalStore, 'read'>; readonly clock: Clock };
  pending(groups: readonly string[]): Promise<PendingApprovals>;
  readonly history: Pick<VoteHistory, 'votesOf'>;
}

const PAGE_SIZE = 10;
/** Votes of the person that are looked up. */
const MAX_VOTES = 20;

/** Reads at most one bounded look, the rows of one page and those of the person's last votes, however much waits. */
export async function inboxOf(person: Person, dependencies: InboxDependencies, page = 0): Promise<Inbox> {
  const { history } = dependencies;
  const [{ waiting, hasMore, isUnsure }, lines] = await Promise.all([
    waitingFor(person, dependencies),
    history.votesOf(person, MAX_VOTES),
  ]);
  const pages = Math.max(1, Math.ceil(waiting.length / PAGE_SIZE));
  const at = Math.min(Math.max(0, page), pages - 1);
  const newest = lines.filter(({ pid }, index) => lines.findIndex((one) => one.pid === pid) === index);
  const [shown, voted] = await Promise.all([
    Promise.all(waiting.slice(at * PAGE_SIZE, (at + 1) * PAGE_SIZE).map(({ pid }) => entryOf(pid, dependencies))),
    Promise.all(newest.map(async (line) => ({ line, entry: await entryOf(line.pid, dependencies) }))),
  ]);
  const isWaiting = new Set(waiting.map(({ pid }) => pid));
  const isOpen = (entry: InboxEntry | undefined) => entry?.view.approval.status === 'pending' && !entry.view.decision;
  return {
    waiting,
    hasMore,
    isUnsure,
    shown: shown.flatMap((entry) => entry ?? []),
    page: at,
    pages,
    forOthers: voted.flatMap(({ line, entry }) =>
      entry && isOpen(entry) && !isWaiting.has(line.pid) ? [{ ...entry, line }] : [],
    ),
    decided: voted.flatMap(({ line, entry }) => (isOpen(entry) ? [] : [entry ? { line, entry } : { line }])),
  };
}

/** Ordered as an inbox is read. */
async function waitingFor(person: Person, { deps, pending }: InboxDependencies) {
  const absent = await seatsDelegatedTo(person, deps);
  const groups = await Promise.all([person, ...absent].map((one) => groupsOfPerson(one, deps)));
  const mine = [...groups.flat(), ...groupsGivenTo(person, deps)];
  const { approvals, hasMore } = await pending(groupsFirstAsked(mine, deps.policy.settings));
  const waiting = await pendingFor({ person, isBot: false }, approvals, deps);
  return { waiting: waiting.toSorted(bySeverityThenTime), hasMore, isUnsure: await isUnsureOf(person, deps) };
}

/** Whether an answer of the platform is missing without which a vote would be refused. */
async function isUnsureOf(person: Person, deps: VoterDependencies): Promise<boolean> {
  const groups = Object.keys(deps.policy.settings.approvers).map((group) => membersOf(group, deps));
  const [status, ...members] = await Promise.all([voterStatus({ person }, deps), ...groups]);
  return status === 'unknown' || members.includes(undefined);
}

const bySeverityThenTime = (a: Approval, b: Approval): number =>
  SEVERITIES.indexOf(b.question.severity) - SEVERITIES.indexOf(a.question.severity) ||
  nextDeadline(a).at - nextDeadline(b).at;

/** An approval counts under the group that is asked first: these lead to one of `groups`, at once or in a later stage. */
function groupsFirstAsked(groups: readonly string[], settings: unknown): string[] {
  const first = new Set(groups);
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'stages' && Array.isArray(inner)) {
        const names = inner.flatMap(({ group, escalateTo }) => [group, escalateTo]);
        if (names.some((name) => groups.includes(name)) && typeof names[0] === 'string') first.add(names[0]);
      }
      walk(inner);
    }
  };
  walk(settings);
  return [...first];
}

async function entryOf(pid: string, { deps }: InboxDependencies): Promise<InboxEntry | undefined> {
  const view = await deps.approvals.read(pid).catch(() => undefined);
  if (!view) return undefined;
  return { view, proposal: readProposal(view.proposal) };
}

function readProposal(text: string): Proposal | undefined {
  try {
    return proposalSchema.parse(parseJson(text));
  } catch {
    return undefined;
  }
}
