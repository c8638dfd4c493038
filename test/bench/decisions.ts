/**
 * Measures an automatic decision and a redemption, part by part, without a store.
 *
 * Parts: redaction, sessions above, approvals for later, permits.
 */
import { secretlintDetector } from '../../shared/adapters/secretlint/detector.ts';
import { compilePolicy } from '../../shared/config/compile.ts';
import { loadPolicy } from '../../shared/config/load.ts';
import type { AllowedBy, SessionRow, StoredGrant, ToolCallProposal } from '../../shared/contract/index.ts';
import { newSession } from '../../shared/domain/session.ts';
import { loadShellParser } from '../../shared/permissions/shell/parser.ts';
import { revalidate } from '../../shared/use-cases/execution/revalidate.ts';
import { withdrawn } from '../../shared/use-cases/execution/withdrawn.ts';
import { runsInOf } from '../../shared/use-cases/kernel/calls/authorization/folders.ts';
import { decide } from '../../shared/use-cases/kernel/decide.ts';
import { Journal } from '../../shared/use-cases/kernel/state/journal.ts';
import { type Lineage, lineageOf } from '../../shared/use-cases/kernel/state/lineage.ts';
import type { Session } from '../../shared/use-cases/kernel/state/session.ts';
import { redactProposal, unseenIn } from '../../shared/use-cases/redaction/redact-proposal.ts';
import { redactorOf } from '../../shared/use-cases/redactor.ts';
import { type ChainReader, chainOf } from '../../shared/use-cases/sessions/session-chain.ts';
import { callKeys } from '../../shared/use-cases/sessions/session-keys.ts';
import { note, printTable } from './support/print.ts';
import { micros, type Times, timesOf } from './support/timing.ts';

const FILE = `
people:
  alice: { team: T0DEMO, user: U0ALICE, name: Alice }
  olga: { team: T0DEMO, user: U0OLGA, name: Olga }
agents:
  top: { owner: olga }
  lead: { owner: olga, parents: [top] }
  helper: { owner: olga, parents: [lead] }
channels:
  approvals: { team: T0DEMO, id: C0APPROVALS }
approvers:
  platform: { members: [alice], channel: approvals }
approvals: { approvers: platform }
tools: { Bash: { permissions: [Execute] } }
rules: { allow: ["Bash(git status:*)"] }
`;
const policy = compilePolicy(loadPolicy(FILE, 'bench.yaml'));
const parser = await loadShellParser();
const redactor = redactorOf(
  () => policy,
  async () => secretlintDetector(),
);
const keys = { policy, digestKey: new Uint8Array(64), deployment: 'Bench', shell: async () => parser };
const control = { permitEpoch: 0, pauses: [] } as never;
const settings = settingsOf('helper');
const [olga, alice] = [policy.person('olga'), policy.person('alice')];
const now = Date.now();
const HOUR = 60 * 60_000;

function settingsOf(agent: string) {
  const listed = policy.settings.agents[agent];
  if (!listed) throw new Error(`the file lists no ${agent}`);
  return listed;
}

const proposalOf = (command: string): ToolCallProposal => ({
  kind: 'tool-call',
  proposalId: 'p',
  calls: [{ id: 'call', toolName: 'Bash', input: { command } }],
});
const allowed = proposalOf('git status --short');
const asking = proposalOf('make all');

/** The sessions of a helper that a lead has started, which a top has started. */
function rows(grants: readonly StoredGrant[] = []): (agent: string, session: string) => Promise<SessionRow> {
  const parents: Readonly<Record<string, string>> = { helper: 'lead', lead: 'top' };
  return async (agent, sessionId) => {
    const row = newSession(agent, sessionId);
    const parent = sessionId === 'started' ? parents[agent] : undefined;
    if (!parent) return { ...row, grants: sessionId === 'remembers' ? [...grants] : [] };
    return { ...row, parent: { agentId: parent, sessionId: 'started' }, startedFor: [olga] };
  };
}
const readerOf = (grants: readonly StoredGrant[] = []): ChainReader => ({
  ...keys,
  control,
  row: rows(grants),
  denied: async () => 0,
  delegations: { read: async () => ({ version: 0, delegations: [], done: [] }) },
});

const [call] = asking.calls;
const where = { agent: 'helper', sessionId: 'remembers', mode: 'default', in: runsInOf({}, settings) } as const;
const grantKey = call && callKeys(call, undefined, where, keys)?.exact;
if (!grantKey) throw new Error('the call has no key');
const grantOf = (key: string): StoredGrant => ({
  key,
  scope: 'session',
  toolName: 'Bash',
  approvedBy: 'Alice',
  givenBy: [{ ...alice, groups: ['platform'] }],
  approvedAt: new Date(now - 1).toISOString(),
  expiresAt: new Date(now + HOUR).toISOString(),
});
const others = Array.from({ length: 99 }, (_, index) => grantOf(index.toString(16).padStart(64, '0')));
const ALONE: Lineage = { agents: ['helper'], requesters: [] };
const senderOf = (sessionId: string, lineage = ALONE) => ({ agent: 'helper', sessionId, requester: olga, lineage });

async function decided(proposal: ToolCallProposal, sessionId: string, reader: ChainReader, lineage = ALONE) {
  const chain = await chainOf(senderOf(sessionId, lineage), proposal, now, reader);
  const session: Session = {
    ...{ pid: '0'.repeat(64), agent: 'helper', settings, sessionId, requester: olga, mode: 'default' },
    ...{ control, chain, lineage },
  };
  return decide(proposal, session, new Journal([]), keys as never, now);
}
const permitOf = async (proposal: ToolCallProposal, sessionId: string, reader: ChainReader): Promise<AllowedBy> => {
  const run = await decided(proposal, sessionId, reader);
  const permit = run.kind === 'decided' ? run.answer.calls[0]?.permit : undefined;
  if (!permit?.allowedBy) throw new Error('the call was not allowed');
  return permit.allowedBy;
};

interface Row {
  readonly name: string;
  readonly times: Times;
}
async function measure(parts: Readonly<Record<string, () => Promise<unknown>>>): Promise<Row[]> {
  const measured: Row[] = [];
  // All of them first: the engine compiles what they share while the first one runs.
  for (let round = 0; round < 1_000; round++) for (const run of Object.values(parts)) await run();
  for (const [name, run] of Object.entries(parts)) measured.push({ name, times: await timesOf(run) });
  return measured;
}
function print(title: string, measured: readonly Row[]): void {
  const base = measured[0]?.times.p50 ?? 0;
  printTable(
    `${title}, in microseconds`,
    ['what', 'p50', 'p99', 'processor, mean', 'more than the first, p50'],
    measured.map(({ name, times }) => [
      name,
      micros(times.p50),
      micros(times.p99),
      micros(times.cpu),
      micros(Math.max(0, times.p50 - base)),
    ]),
  );
}

const plain = readerOf();
const remembering = readerOf([...others, grantOf(grantKey)]);
const forgetful = readerOf([...others, grantOf('f'.repeat(64))]);
const redacted = async (proposal: ToolCallProposal) => {
  const kept = await redactProposal(proposal, redactor, policy.tools);
  if ('found' in kept) await unseenIn(kept.proposal);
};
print(
  'One call that a rule allows, or that people have approved for later',
  await measure({
    'a rule, nothing remembered': () => decided(allowed, 'main', plain),
    'and redaction': async () => {
      await redacted(allowed);
      await decided(allowed, 'main', plain);
    },
    'and for whom the session works: started by two above': async () => {
      const lineage = await lineageOf({ agent: 'helper', sessionId: 'started' }, plain);
      await decided(allowed, 'started', plain, lineage);
    },
    'and 100 approvals for later, none of them for it': () => decided(allowed, 'remembers', forgetful),
    'the last of 100 approvals for later': () => decided(asking, 'remembers', remembering),
  }),
);

const action = { toolName: 'Bash', input: allowed.calls[0]?.input };
const asked = { toolName: 'Bash', input: call?.input };
const folders = { projectRoot: settings.projectRoot, home: settings.home };
const about = (sessionId: string) => ({ agent: 'helper', sessionId, mode: 'default' as const });
const checked = async (what: typeof action, sessionId: string, reader: ChainReader, byPeople = false) => {
  const objection = await revalidate(what, { ...about(sessionId), byPeople }, control, now, reader as never);
  if (objection) throw new Error(objection.message);
};
async function redeemed(what: typeof action, sessionId: string, reader: ChainReader, basis: AllowedBy): Promise<void> {
  const byPeople = basis.people !== undefined;
  await checked(what, sessionId, reader, byPeople);
  const named = { agent: 'helper', sessionId, pid: '0'.repeat(64), byPeople, basis };
  const objection = await withdrawn(what, named, control, now, reader as never);
  if (objection) throw new Error(objection.message);
}
const byRule = await permitOf(allowed, 'main', plain);
const byGrant = await permitOf(asking, 'remembers', remembering);
const byPeople: AllowedBy = { folders, people: [{ ...alice, groups: ['platform'] }] };
print(
  'The check of a permit before its call runs',
  await measure({
    'deny rules and the brake alone': () => checked(action, 'main', plain),
    'and what allowed it: a rule': () => redeemed(action, 'main', plain, byRule),
    'and what allowed it: the last of 100 approvals for later': () =>
      redeemed(asked, 'remembers', remembering, byGrant),
    'and what allowed it: a person': () => redeemed(asked, 'main', plain, byPeople),
  }),
);
note('In this process, without stores: what they are asked is in `calls` and `latency`.');
