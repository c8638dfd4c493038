/**
 * Decides a case of the area slack with a click.
 *
 * The click goes through the endpoint's own door, Bolt and the listeners, at a gate in memory.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { slackSecrets } from '../../../functions/runtime/clients/slack-secrets.ts';
import { respond, slackApp } from '../../../functions/slack/app.ts';
import { answerVerified } from '../../../functions/slack/verify-request.ts';
import { memoryPendingApprovals } from '../../../shared/adapters/memory/stores/pending-approvals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import type { AskedInSlack } from '../../../shared/contract/operation.ts';
import { currentStage } from '../../../shared/domain/approval/approval.ts';
import type { PeopleDirectory } from '../../../shared/ports/people.ts';
import type { ApprovalView } from '../../../shared/ports/stores/approval-store.ts';
import { type Fields, fieldsOf, isFields, listOf } from '../fields.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';
import type { SecurityCase, Verdict } from './cases.ts';
import { eventOf, payloadsOf } from './slack-request.ts';
import { earlierVoter, SlackWorld, slackIdOf } from './slack-world.ts';

const BOT_TOKEN = 'xoxb-of-no-workspace';
const KNOWN = new Set('http click approval signingSecret race rulesOverride handlerOrder otherPending'.split(' '));

/** Refusals of a request that contradicts itself or the row; the others are about who acts, and when. */
const MALFORMED: ReadonlySet<string> = new Set([
  'unknown_approval',
  'foreign_card',
  'stale_digest',
  'unknown_call',
  'invalid_edit',
  'not_offered',
]);

interface Answered {
  readonly statusCode: number;
  readonly body: string;
}

interface Clicked {
  readonly verdict: Verdict;
  readonly why: string;
  readonly before: ApprovalView | undefined;
  readonly after: ApprovalView | undefined;
  readonly woken: number;
  readonly decided: number;
  readonly told: readonly string[];
  readonly statuses: readonly number[];
  /** Slack users who may vote. */
  readonly approvers: readonly string[];
}

/** Slack's own account of people: what the payload says of the one who clicks. */
function directoryOf(click: Fields): PeopleDirectory {
  const user = fieldsOf(click['user']);
  const home = user['team_id'] ?? fieldsOf(click['team'])['id'];
  return {
    async accountStatus(person) {
      if (person.user !== slackIdOf(user['id'])) return 'member';
      if (user['is_bot'] === true) return 'bot';
      if (user['deleted'] === true || user['deactivated'] === true) return 'deactivated';
      return user['is_stranger'] === true || person.team !== slackIdOf(home) ? 'foreign' : 'member';
    },
    nameOf: async () => undefined,
    membersOf: async () => undefined,
  };
}

interface Listener {
  readonly url: string;
  /** How many forms were opened. */
  opened(): number;
  stop(): void;
}

/** Takes what the endpoint says to people, and the calls of Slack's client. */
async function listener(told: string[]): Promise<Listener> {
  let opened = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString('utf8');
    if (request.url === '/told') told.push(body);
    if (request.url === '/api/views.open') opened += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, opened: () => opened, stop };
}

type Post = (http: Fields, click: Fields) => Promise<Answered>;

function endpointOf(world: SlackWorld, secret: string, { url, opened }: Listener): Post {
  const { clock, gate, approval } = world;
  const listenerParts = {
    pending: async () => memoryPendingApprovals(gate.parts.state),
    sessions: (agent: string) => gate.parts.sessions.list(agent, 100),
    control: () => gate.parts.control.read(),
    ask: async (asked: AskedInSlack) => gate.askInSlack(asked),
  };
  const app = slackApp(
    { deps: gate.parts, ...listenerParts, history: gate.parts.history },
    {
      botToken: BOT_TOKEN,
      appId: approval.app,
      slackApiUrl: `${url}/api/`,
      conversation: { send: async () => undefined },
    },
  );
  const stored = JSON.stringify({ signingSecret: secret, botToken: BOT_TOKEN });
  const door = answerVerified({
    clock,
    secrets: slackSecrets({ token: 'token', signing: 'signing' }, clock, async () => stored),
    answer: (request) => respond(request, app),
  });
  return async (http, click) => {
    let answered: Answered = { statusCode: 0, body: '' };
    const before = opened();
    for (const [index, payload] of (await payloadsOf(click, `${url}/told`, world)).entries()) {
      // Nobody can submit a form that the endpoint did not open.
      if (index > 0 && opened() === before) break;
      const result = await door(eventOf(http, payload, secret, clock.now() / 1_000));
      answered = typeof result === 'string' ? { statusCode: 200, body: result } : (result as Answered);
    }
    return answered;
  };
}

/** The approval as the case finds it: its votes are cast by those who may. */
async function reach(world: SlackWorld, click: Fields, post: Post): Promise<void> {
  const { approval } = world;
  const { substitute: _substitute, private_metadata: _metadata, reason: _reason, ...plain } = click;
  const vote = async (user: string, action: string) => {
    const actions = [{ action_id: action, value: approval.id }];
    await post(
      { sig: 'valid' },
      { ...plain, type: 'block_actions', user: { id: user, team_id: approval.team }, actions },
    );
  };
  // Votes that were cast before the case begins, in their stages.
  for (let index = 0; index < approval.stagesBefore; index++) await vote(earlierVoter(index), 'approve');
  for (const user of approval.approvedBy) await vote(user, 'approve');
  const clicker = slackIdOf(fieldsOf(click['user'])['id']);
  // The one who clicks again clicked before.
  const voters = approval.approvers.toSorted((a, b) => Number(b === clicker) - Number(a === clicker));
  if (approval.status === 'PENDING') {
    await world.rest();
  } else if (approval.status === 'APPROVED' || approval.status === 'REJECTED') {
    for (const user of voters) await vote(user, approval.status === 'APPROVED' ? 'approve' : 'reject');
  } else if (approval.status === 'EXPIRED') {
    await world.expire();
  } else if (approval.status === 'CANCELLED') {
    await world.cancel();
  }
  await world.rest();
  const status = (await world.read(approval.id))?.approval.status.toUpperCase();
  if (status !== approval.status) throw new Uninterpretable(`the approval is ${status}, not ${approval.status}`);
}

/** Clicks of several people: `approve:U1`, an action, a type of request, or fields that differ from the click's. */
const clicksOf = (click: Fields, stated: unknown): Fields[] => listOf(stated).map((one) => clickOf(click, one));

function clickOf(click: Fields, one: unknown): Fields {
  if (isFields(one)) return { ...click, ...one };
  const [word = '', user] = String(one).split(':');
  if (word === 'block_actions' || word === 'view_submission') return { ...click, type: word };
  if (!Object.hasOwn(ACTIONS, word)) throw new Uninterpretable(`request ${String(one)}`);
  const actions = listOf(click['actions']).map((each) => ({ ...fieldsOf(each), action_id: word }));
  return { ...click, ...(user ? { user: { ...fieldsOf(click['user']), id: user } } : {}), actions };
}

/** Nobody hears of time that runs out, or of a cancel. */
const SILENT: Answered = { statusCode: 0, body: '' };

/** One request, several at once, or one after the other. Time that runs out and the agent's cancel are of them, too. */
async function answersTo(scenario: Fields, post: Post, world: SlackWorld): Promise<Answered[]> {
  const [http, click] = [fieldsOf(scenario['http']), fieldsOf(scenario['click'])];
  if (scenario['handlerOrder'] === undefined) {
    const stated = scenario['race'] === undefined ? [click] : listOf(scenario['race']);
    // A rejection is two requests: time that runs out between them would overtake it, whatever the order.
    let done: Promise<unknown> = Promise.resolve();
    return Promise.all(
      stated.map((one) => {
        if (one === 'cancel') return world.cancel().then(() => SILENT);
        if (one === 'timeout') return done.then(() => world.expire()).then(() => SILENT);
        const answer = post(http, clickOf(click, one));
        done = Promise.allSettled([done, answer]);
        return answer;
      }),
    );
  }
  const answers: Answered[] = [];
  for (const each of clicksOf(click, scenario['handlerOrder'])) {
    answers.push(await post(http, each));
    await world.rest();
  }
  return answers;
}

/** Other approvals of the case's own call that wait, by id, with the time stamp of a card. A click must leave them as they were. */
const waiting = (stated: unknown, own: Fields): Map<string, unknown> =>
  new Map(
    listOf(stated === true ? 'ap_other' : stated).map((one): [string, unknown] => {
      if (!isFields(one)) return [String(one), undefined];
      const { approvalId, status = 'PENDING', messageTs, ...rest } = one;
      const strange = Object.keys(rest).filter((key) => !isDeepStrictEqual(rest[key], own[key]));
      if (approvalId === undefined || String(status).toUpperCase() !== 'PENDING') strange.push('a waiting approval');
      if (strange.length) throw new Uninterpretable(`otherPending: ${strange.join(', ')}`);
      return [String(approvalId), messageTs];
    }),
  );

const otherIds = (click: Fields): string[] =>
  [click['private_metadata'], ...listOf(click['actions']).map((each) => fieldsOf(each)['value'])]
    .filter((id) => id !== undefined)
    .map((id) => String(id).split(/[:|#]/)[0] ?? '');

export async function click(one: SecurityCase): Promise<Clicked> {
  const { given } = one;
  const scenario = fieldsOf(given['scenario']);
  const unread = Object.keys(scenario).filter((key) => !KNOWN.has(key));
  if (unread.length) throw new Uninterpretable(unread.join(', '));
  if (!isFields(scenario['click'])) throw new Uninterpretable('no click');
  const world = new SlackWorld(given, directoryOf(scenario['click']));
  const { approval, clock } = world;
  const told: string[] = [];
  const slack = await listener(told);
  try {
    const secret = scenario['signingSecret'];
    const post = endpointOf(world, secret === undefined ? 'the-signing-secret' : String(secret), slack);
    const beside = waiting(scenario['otherPending'], fieldsOf(scenario['approval']));
    const others = [...new Set([...otherIds(scenario['click']), ...beside.keys()])].filter((id) => id !== approval.id);
    await world.propose(approval.id);
    for (const id of others) await world.propose(id, beside.get(id));
    const { status, approvedBy, stagesBefore } = approval;
    if (status !== 'PENDING' || approvedBy.length || stagesBefore) await reach(world, scenario['click'], post);
    // The click may come before the timer that is due.
    clock.jump(Math.max(0, Number(given['now'] ?? approval.createdAt) * 1_000 - clock.now()));
    const before = await world.read(approval.id);
    const versions = await Promise.all(others.map(async (id) => (await world.read(id))?.approval.version));
    const [woken, entriesBefore, toldBefore] = [world.woken, (await world.audit(approval.id)).length, told.length];
    const answers = await answersTo(scenario, post, world);
    const now = await world.read(approval.id);
    const foreign = await Promise.all(others.map(async (id) => (await world.read(id))?.approval.version));
    if (JSON.stringify(foreign) !== JSON.stringify(versions)) throw new Error('another approval was changed');
    if (before && now?.approval.version !== before.approval.version) await world.rest();
    const after = await world.read(approval.id);
    const unknown = await world.gate.parts.audit.recent('-clicks', 20);
    const elsewhere = await Promise.all(others.map((id) => world.audit(id)));
    const entries = [
      ...(await world.audit(approval.id)).slice(entriesBefore),
      ...elsewhere.flat(),
      ...unknown.map(({ entry }) => entry),
    ];
    const statuses = answers.map(({ statusCode }) => statusCode);
    const refusals = entries.flatMap((entry) =>
      entry.type === 'click' && !entry.accepted ? [entry.reasonCode ?? 'refused'] : [],
    );
    const outcome = await world.outcome(approval.id);
    return {
      ...verdictOf(before, after, outcome, statuses, refusals),
      before,
      after,
      woken: world.woken - woken,
      decided: (await world.audit(approval.id)).filter(({ type }) => type === 'decided').length,
      told: [...told.slice(toldBefore), ...answers.map(({ body }) => body).filter(Boolean)],
      statuses,
      approvers: approval.approvers,
    };
  } finally {
    world.gate.stop();
    slack.stop();
  }
}

/** The effect of the click on the call: it runs, another question is asked, it does not run, or the request was none. */
function verdictOf(
  before: ApprovalView | undefined,
  after: ApprovalView | undefined,
  outcome: string | undefined,
  statuses: readonly number[],
  refusals: readonly string[],
): { readonly verdict: Verdict; readonly why: string } {
  const why = [`status ${statuses.join(', ')}`, ...refusals, outcome ?? after?.approval.status ?? 'no approval'].join(
    '; ',
  );
  if (!before || !after) return { verdict: outcome === 'approved' ? 'allow' : 'deny', why };
  if (after.approval.version !== before.approval.version) {
    if (after.approval.round > before.approval.round && after.approval.status === 'pending')
      return { verdict: 'ask', why };
    return { verdict: outcome === 'approved' ? 'allow' : 'deny', why };
  }
  const none = statuses.every((status) => status >= 400) || refusals.some((refusal) => MALFORMED.has(refusal));
  return { verdict: none ? 'error' : 'deny', why };
}

type Assertion = readonly [RegExp, (seen: Clicked, match: RegExpMatchArray) => boolean];

const ASSERTIONS: readonly Assertion[] = [
  [/no second (side )?effect|no (state )?change|unchanged/i, (seen) => isUnchanged(seen) && seen.woken === 0],
  [/stays PENDING(?: (\d+)\/(\d+))?/i, (seen, [, count, quorum]) => isPending(seen, count, quorum)],
  [
    /^(?:the )?(?:row |state |approval )?(?:stays|becomes|ends|ends as) (approved|rejected|expired|cancelled|superseded)\b/i,
    ({ after }, [, status = '']) => after?.approval.status === status.toLowerCase(),
  ],
  [
    /exactly (\w+) terminal states?/i,
    ({ after, decided }, [, count = '']) => after?.approval.status !== 'pending' && decided === countOf(count),
  ],
  // Time that runs out ends the wait by itself.
  [
    /\b(no|zero|one|two|three|\d+) SendTask/i,
    ({ woken, after }, [, count = '']) => woken === (after?.approval.status === 'expired' ? 0 : countOf(count)),
  ],
  [/(loser|second|clicker).*(told|sees)|already decided/i, ({ told }) => told.length > 0],
  [/\b([45]\d\d)\b/, ({ statuses }, [, status]) => statuses.every((each) => each === Number(status))],
];

const COUNTS: Readonly<Record<string, number>> = { no: 0, zero: 0, one: 1, two: 2, three: 3 };
const countOf = (word: string): number => COUNTS[word.toLowerCase()] ?? Number(word);

const isUnchanged = ({ before, after }: Clicked): boolean => before?.approval.version === after?.approval.version;

/** Without numbers, a vote that leaves the question open may have been cast, by one who may. */
function isPending({ after, approvers }: Clicked, count: string | undefined, quorum: string | undefined): boolean {
  if (after?.approval.status !== 'pending') return false;
  const votes = after.approval.votes.filter(({ stage }) => stage === (after.approval.stage ?? 0));
  if (count === undefined) return votes.every(({ by }) => approvers.includes(by.user));
  const approvals = votes.filter(({ choice }) => choice === 'approve').length;
  return approvals === Number(count) && currentStage(after.approval).quorum === Number(quorum);
}

/** Undefined: the assertion cannot be read. */
export function clickHolds(assertion: string, seen: Clicked): boolean | undefined {
  for (const [words, check] of ASSERTIONS) {
    const match = assertion.match(words);
    if (match !== null) return check(seen, match);
  }
  return undefined;
}
