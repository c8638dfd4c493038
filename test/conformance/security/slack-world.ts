/**
 * Builds a gate in memory for one case of the area slack.
 *
 * People, group and owner come from the case's approval, the time from its clock.
 */
import { createMemoryGate } from '../../../shared/adapters/memory/gate.ts';
import type { MemoryGate } from '../../../shared/adapters/memory/gate-parts.ts';
import { secretlintDetector } from '../../../shared/adapters/secretlint/detector.ts';
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { createToolRegistry } from '../../../shared/permissions/model/tools.ts';
import { loadShellParser } from '../../../shared/permissions/shell/parser.ts';
import type { PeopleDirectory } from '../../../shared/ports/people.ts';
import type { ApprovalView, Card } from '../../../shared/ports/stores/approval-store.ts';
import { countingIds } from '../../../shared/testing/counting-ids.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';
import { type Fields, fieldsOf, listOf } from '../fields.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';

/** Loaded once: what needs I/O would not be done within one turn of the fake clock. */
const parser = await loadShellParser();
const detector = secretlintDetector();

/** Slack's ids have no underscore; those of the cases do. */
export const slackIdOf = (value: unknown): string => String(value).replaceAll('_', '');

/** The approval that a case describes; times in seconds. */
interface StatedApproval {
  readonly id: string;
  readonly status: string;
  readonly agent: string;
  readonly owner: string;
  readonly approvers: readonly string[];
  readonly team: string;
  readonly channel: string;
  readonly ts: string;
  readonly app: string;
  readonly argsHash: unknown;
  readonly severity: string;
  readonly required: number | undefined;
  /** The group that the current stage asks; those who are in it are the approvers. */
  readonly role: string | undefined;
  /** Users who voted for it already. */
  readonly approvedBy: readonly string[];
  /** Stages that were over before: one more than these is the current one. */
  readonly stagesBefore: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const KNOWN_RULE = new Set(['effect', 'pattern', 'source']);

const KNOWN = new Set(
  'approvalId status requestedBy owner requesterAgent approvers teamId channelId messageTs apiAppId argsHash severity createdAt expiresAt requiredApprovals agentOwner requiredRole approvedBy stage quorum'.split(
    ' ',
  ),
);

/** The groups that the data gives to a person. */
const rolesOf = (user: Fields): string[] =>
  ['role', 'roles', 'group', 'groups'].flatMap((key) => listOf(user[key]).map(String));

/** Other names of a status. */
const SAME_STATUS: Readonly<Record<string, string>> = {
  DENIED: 'REJECTED',
  CANCELED: 'CANCELLED',
  TIMED_OUT: 'EXPIRED',
};

function statedApproval(value: unknown, now: number, user: Fields): StatedApproval {
  const stated = fieldsOf(value);
  const unread = Object.keys(stated).filter((key) => !KNOWN.has(key));
  if (unread.length) throw new Uninterpretable(`approval: ${unread.join(', ')}`);
  const word = String(stated['status'] ?? 'PENDING').toUpperCase();
  const status = SAME_STATUS[word] ?? word;
  // An expired approval expired before the case's time.
  const latest = status === 'EXPIRED' ? now - 5 : Number.POSITIVE_INFINITY;
  const expiresAt = Math.min(Number(stated['expiresAt'] ?? 1_600), latest);
  const role = stated['requiredRole'] === undefined ? undefined : String(stated['requiredRole']);
  const named = listOf(stated['approvers'] ?? ['U_APP1', 'U_APP2']).map(slackIdOf);
  const approvedBy = listOf(stated['approvedBy']).map(slackIdOf);
  // A role that the data does not give to a person is one that the person lacks.
  const eligible = role === undefined ? named : rolesOf(user).includes(role) ? [slackIdOf(user['id'])] : [];
  const approvers = [...new Set([...eligible, ...approvedBy])];
  const quorum = stated['quorum'] ?? stated['requiredApprovals'];
  // The votes that were cast already left the question open.
  const required = quorum === undefined ? (approvedBy.length ? approvedBy.length + 1 : undefined) : Number(quorum);
  const stage = stated['stage'];
  return {
    role,
    approvedBy,
    stagesBefore: typeof stage === 'number' ? Math.max(0, stage - 1) : 0,
    id: String(stated['approvalId'] ?? 'ap_1'),
    status,
    agent: String(stated['requesterAgent'] ?? 'a1'),
    owner: slackIdOf(stated['agentOwner'] ?? stated['owner'] ?? stated['requestedBy'] ?? 'U_REQ'),
    approvers,
    team: slackIdOf(stated['teamId'] ?? 'T1'),
    channel: slackIdOf(stated['channelId'] ?? 'C1'),
    ts: String(stated['messageTs'] ?? '1.1'),
    app: slackIdOf(stated['apiAppId'] ?? 'A1'),
    argsHash: stated['argsHash'],
    severity: String(stated['severity'] ?? 'medium'),
    required,
    createdAt: Math.min(Number(stated['createdAt'] ?? 1_000), expiresAt - 5),
    expiresAt,
  };
}

/** A tool takes the arguments that the case's call has, and no others: what an edit is held to (D23). */
function schemaOf(input: unknown): Fields {
  const fields = fieldsOf(input);
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? { type: 'string' } : {}]),
  );
  return { type: 'object', properties, required: Object.keys(fields), additionalProperties: false };
}

function policyOf(given: Fields, approval: StatedApproval) {
  const { team, owner, approvers, channel, required, severity } = approval;
  const tool = String(given['toolName']);
  const found = createToolRegistry().lookup(tool);
  // The owner of an agent is no approver of it: where nobody else is named, an approver without a part in the case is added.
  const eligible = approvers.filter((user) => user !== owner);
  const needed = Math.max(required ?? 1, severity === 'high' || severity === 'critical' ? 2 : 1);
  const standby = Array.from({ length: Math.max(0, needed - eligible.length) }, (_, index) => `USTANDBY${index}`);
  const earlier = Array.from({ length: approval.stagesBefore }, (_, index) => earlierVoter(index));
  const users = [...new Set([owner, ...approvers, ...standby, ...earlier])];
  const rules = [...listOf(given['rules']), ...listOf(fieldsOf(given['scenario'])['rulesOverride'])].map(fieldsOf);
  const strange = rules.flatMap((rule) => Object.keys(rule).filter((key) => !KNOWN_RULE.has(key)));
  if (strange.length) throw new Uninterpretable(`rules: ${strange.join(', ')}`);
  const withEffect = (effect: string) =>
    rules.filter((rule) => rule['effect'] === effect).map((rule) => rule['pattern']);
  const members = users.filter((user) => approvers.includes(user) || standby.includes(user));
  const asked =
    required === undefined && earlier.length === 0
      ? { approvers: 'people' }
      : { stages: [...earlier.map((user) => ({ group: user })), { group: 'people', quorum: required ?? 1 }] };
  const file = {
    people: Object.fromEntries(users.map((user) => [user, { team, user, name: user }])),
    agents: {
      [approval.agent]: {
        owner,
        mode: given['mode'] ?? 'default',
        ...(given['projectRoot'] ? { projectRoot: given['projectRoot'] } : {}),
        ...(given['home'] ? { home: given['home'] } : {}),
      },
    },
    channels: { approvals: { team, id: channel } },
    approvers: {
      people: { members, channel: 'approvals' },
      ...Object.fromEntries(earlier.map((user) => [user, { members: [user], channel: 'approvals' }])),
    },
    approvals: { ...asked, timeout: `${approval.expiresAt - approval.createdAt}s` },
    rules: { deny: withEffect('deny'), ask: withEffect('ask'), allow: withEffect('allow') },
    tools:
      found.kind === 'refused'
        ? {}
        : { [tool]: { permissions: found.entry.permissions, severity, argsSchema: schemaOf(given['input']) } },
  };
  return loadPolicy(JSON.stringify(file), 'countersign.yaml');
}

/** The person who votes in a stage before the current one. */
export const earlierVoter = (index: number): string => `UEARLIER${index}`;

export class SlackWorld {
  readonly approval: StatedApproval;
  readonly clock: FakeClock;
  readonly gate: MemoryGate;
  /** Cards as they were last drawn, by channel and time stamp. */
  readonly cards = new Map<string, RenderedCard>();
  /** How often a workflow was woken by an answer. */
  woken = 0;
  readonly #given: Fields;
  #posted = 0;
  #statedTs: string | undefined;

  constructor(given: Fields, people: PeopleDirectory) {
    this.#given = given;
    const { approval, click } = fieldsOf(given['scenario']);
    this.approval = statedApproval(approval, Number(given['now'] ?? 1_000), fieldsOf(fieldsOf(click)['user']));
    this.clock = new FakeClock(this.approval.createdAt * 1_000);
    this.gate = createMemoryGate({
      document: policyOf(given, this.approval),
      clock: this.clock,
      timers: this.clock,
      ids: countingIds(),
      shell: async () => parser,
      detector: async () => detector,
      people,
      poster: {
        post: async (channel, card) => this.#show({ channel, ts: this.#nextTs() }, card),
        update: async (place, card) => Boolean(this.#show(place, card)),
        reply: async () => undefined,
        announce: async () => undefined,
        message: async () => undefined,
      },
      reconcileEveryMs: 0,
      wrap: (name, port) => (name === 'workflow' ? this.#counting(port) : port),
    });
  }

  /** The case's call, proposed under this id; `ts` is the time stamp of its card, if the case states one. */
  async propose(proposalId: string, ts?: unknown): Promise<void> {
    this.#statedTs = ts === undefined ? undefined : String(ts);
    const { toolName, input, cwd } = this.#given;
    await this.send({ kind: 'tool-call', proposalId, toolName, input, ...(cwd === undefined ? {} : { cwd }) });
  }

  async send(message: Fields): Promise<void> {
    const { agent } = this.approval;
    await this.gate.agentSide(agent).queue.publish(JSON.stringify(message), agent);
    await this.rest();
  }

  pid(id: string): string {
    return pidOf(this.gate.parts.deployment, this.approval.agent, id);
  }

  read(id: string): Promise<ApprovalView | undefined> {
    return this.gate.parts.approvals.read(this.pid(id));
  }

  /** The gate's answer, if there was one. */
  async outcome(id: string): Promise<string | undefined> {
    const { agent } = this.approval;
    const { reader } = this.gate.agentSide(agent);
    const claim = await reader.read(agent, this.pid(id), 'evaluated');
    return (claim?.decision ?? (await reader.read(agent, this.pid(id), 'decided'))?.decision)?.outcome;
  }

  async audit(id: string) {
    const records = await this.gate.parts.audit.ofProposal(this.approval.agent, this.pid(id));
    return records.map(({ entry }) => entry);
  }

  /** Nobody answers in time. */
  async expire(): Promise<void> {
    const { expiresAt, createdAt } = this.approval;
    await this.clock.advance((expiresAt - createdAt + 2) * 1_000);
  }

  /** The agent takes its call back. */
  cancel(): Promise<void> {
    const { id } = this.approval;
    return this.send({ kind: 'cancel', proposalId: `${id}-off`, cancels: id });
  }

  /** Everything happens that needs no time. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await this.clock.advance(0);
  }

  #nextTs(): string {
    this.#posted += 1;
    return this.#posted === 1 ? this.approval.ts : (this.#statedTs ?? `${this.approval.ts}${this.#posted}`);
  }

  #show(place: Card, card: RenderedCard): Card {
    this.cards.set(`${place.channel}#${place.ts}`, card);
    return place;
  }

  #counting<Port extends object>(port: Port): Port {
    const workflow = port as unknown as { completeWait(token: string): Promise<string> };
    const completeWait = async (token: string) => {
      const answer = await workflow.completeWait(token);
      if (answer === 'woken') this.woken += 1;
      return answer;
    };
    return Object.create(port, { completeWait: { value: completeWait } }) as Port;
  }
}
