/** Checks that the end of a batch is told call by call: on the card, in its thread and in App Home. */
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import { newsOf } from '../../../../shared/adapters/slack/cards/thread.ts';
import { endWords } from '../../../../shared/adapters/slack/home/decision-ends.ts';
import type { Approval, Decision, Vote } from '../../../../shared/contract/index.ts';
import type { ApprovalView } from '../../../../shared/ports/stores/approval-store.ts';
import { sourceOf, textsOf } from './surfaces.ts';

const AT = '2026-11-22T09:30:00.000Z';
const voteOf = (choice: 'approve' | 'reject', user = 'U0ANN', reason?: string): Vote => ({
  ...{ choice, by: { team: 'T0', user }, name: user, stage: 0, at: AT, via: 'slack' },
  ...(reason ? { reason } : {}),
});
const CALLS = ['x', 'main', 'z'].map((to, index) => ({ id: `c${index}`, toolName: 'Mail', input: { to } }));
type Outcome = 'approved' | 'denied' | 'error' | 'expired' | 'superseded';
const WHY = {
  approved: 'Run it.',
  denied: 'A freeze began.',
  error: 'No answer.',
  expired: 'Too late.',
  superseded: 'Ask anew.',
};

const BY = { type: 'system', id: 'rules' } as const;
const decisionOf = (outcomes: readonly Outcome[]): Decision =>
  ({
    outcome: outcomes.find((one) => one !== 'approved') ?? 'approved',
    message: 'Each call has its own decision.',
    decidedBy: BY,
    calls: outcomes.map((outcome, index) => ({
      ...{ id: `c${index}`, outcome, message: WHY[outcome], decidedBy: BY },
      ...(outcome === 'approved' ? { permit: { permitId: `p${index}`, expiresAt: AT } } : {}),
    })),
  }) as unknown as Decision;

const ended = (outcomes: readonly Outcome[], status: Approval['status'] = 'approved', votes = [voteOf('approve')]) => ({
  ...sourceOf(CALLS, { status, votes, endedAt: AT }),
  decision: decisionOf(outcomes),
});
const textOf = (source: CardSource): string => textsOf(renderCard(source)).join('\n');
const told = (source: CardSource): string => newsOf(source, 'C0')[0]?.note.text ?? '';

describe.each(['denied', 'error', 'expired'] as const)(
  'a batch of which a rule or a fault ends a part as %s',
  (end) => {
    const source = ended(['approved', end, 'approved']);

    test('its card says which calls run, and why the others do not', () => {
      const text = textOf(source);
      expect(text).toContain('2 of 3 approved');
      expect(text).toContain(`approved 1 and 3 · not run 2 · the agent was told: “${WHY[end]}”`);
      expect(text).not.toMatch(/then denied|could not be decided|Expired|own decision/);
      expect(text).toContain('1 · Mail x, 2 · Mail main, 3 · Mail z');
    });

    test('its thread names those alone that do not run', () => {
      expect(told(source)).toContain('2 · Mail main does not run although people approved it');
      expect(told(source)).not.toContain('Mail x');
    });
  },
);

test('a batch of which the policy changed for a part says which calls run, and that the others have to come anew', () => {
  const text = textOf(ended(['approved', 'superseded', 'approved']));
  expect(text).toContain('2 of 3 approved');
  expect(text).toContain('approved 1 and 3 · not run 2 · the policy changed while these waited');
  expect(text).not.toMatch(/Not run:|Ask anew/);
  expect(textOf(ended(['superseded', 'superseded', 'superseded']))).toContain('Not run: the policy changed');
});

test.each([
  ['approved', 'the answer is for all that still waited'],
  ['rejected', 'the answer is for all that still waited'],
  // The others ask by themselves then.
  ['expired', undefined],
  ['cancelled', undefined],
] as const)('of identical calls a card that is %s tells how often it was asked', (status, says) => {
  const source = { ...sourceOf(CALLS.slice(0, 1), { status, endedAt: AT }), followers: 2 };
  if (says) expect(textOf(source)).toContain(`asked 3 times: ${says}`);
  else expect(textOf(source)).not.toContain('asked 3 times');
  const silent = {
    ...sourceOf(CALLS.slice(0, 1), { status: 'expired', endedAt: AT }),
    decision: decisionOf(['approved']),
  };
  expect(textOf({ ...silent, followers: 2 })).not.toContain('asked 3 times');
  const waiting = { ...sourceOf(CALLS.slice(0, 1)), followers: 2 };
  const list = renderList({ agent: 'coder', channel: 'C0', entries: [{ kind: 'asks', source: waiting }] });
  for (const text of [textOf(waiting), textsOf(list.blocks).join()])
    expect(text).toContain('asked 3 times so far: one answer is for all of these');
});

test('a batch of which nothing runs says so', () => {
  const source = ended(['denied', 'denied', 'denied']);
  expect(textOf(source)).toContain('Approved, then denied by policy');
  expect(told(source)).toContain('1 · Mail x, 2 · Mail main, 3 · Mail z do not run although people approved them');
});

type Run = readonly [permit: string, status: 'succeeded' | 'failed' | 'unknown'];
const home = (source: CardSource, runs: readonly Run[] = [], choice: Vote['choice'] = 'approve'): string => {
  const ran = runs.map(([permitId, status]) => ({ callId: permitId, permitId, status, durationMs: 1_000, at: AT }));
  const view = { ...source, cards: [{ channel: 'C0', ts: '1', ran }] } as unknown as ApprovalView;
  const { mark, text } = endWords(view, { pid: 'p', agent: 'coder', subject: 'Mail', choice, at: AT });
  return `${mark} ${text}`;
};

test('App Home says nothing twice of a question that was answered', () => {
  const source = {
    ...sourceOf(CALLS.slice(0, 1), { status: 'answered', endedAt: AT }),
    decision: { outcome: 'answered', calls: [], message: '' } as unknown as Decision,
  };
  expect(home(source, [], 'respond')).toBe('✓ ');
  expect(home(source, [], 'approve')).toBe('✓ answered');
});

test('App Home tells of several runs the worst, and of none before all have run', () => {
  const source = ended(['approved', 'approved', 'approved']);
  const runs: Run[] = [
    ['p0', 'succeeded'],
    ['p1', 'succeeded'],
    ['p2', 'succeeded'],
  ];
  expect(home(source, runs)).toBe('✓ ran, 1.0 s');
  expect(home(source, runs.slice(0, 2))).toContain('may run until');
  expect(home(source, [...runs.slice(0, 2), ['p2', 'unknown']])).toBe('⚠ may have run: look before it is tried again');
  expect(
    home(source, [
      ['p0', 'succeeded'],
      ['p1', 'failed'],
    ]),
  ).toBe('⚠ failed');
});

test('App Home says of an approval that others refused that it did not run', () => {
  const votes = [voteOf('approve'), voteOf('reject', 'U0BOB', 'Not on a Friday')];
  const source = ended(['denied', 'denied', 'denied'], 'rejected', votes);
  expect(home(source)).toBe('✗ not run: “Not on a Friday”');
  expect(home(source, [], 'reject')).toBe('✗ “Not on a Friday”');
});

const RAN = { callId: 'c0', status: 'succeeded', durationMs: 1_000, at: AT } as const;
const ONE = [{ id: 'c0', toolName: 'Bash', input: { command: 'make' } }];
test.each([
  ['denied', 'policy_changed', 'Approved, then denied by policy', 'a rule or a changed policy won'],
  ['denied', 'paused', 'Not run: an operator paused this', 'an operator paused it'],
  [
    'superseded',
    'superseded',
    'Not run: the policy changed',
    'the policy changed meanwhile, and the agent has to propose',
  ],
  ['error', 'record_disagrees', 'Not run: it could not be decided', 'it could not be decided'],
  ['expired', 'expired', 'Expired, not run', 'its time was over'],
  ['cancelled', 'cancelled', 'Cancelled by the agent', 'its agent withdrew it'],
])('an approved call that ends as %s (%s) is not run for that reason', (outcome, reasonCode, title, why) => {
  const answer = { id: 'c0', outcome, reasonCode, message: 'Words for the agent.', decidedBy: BY };
  const decision = { ...answer, calls: [answer] } as unknown as Decision;
  const source = { ...sourceOf(ONE, { status: 'approved', votes: [voteOf('approve')], endedAt: AT }), decision };
  expect(textOf(source)).toContain(title);
  expect(told(source)).toContain(`make does not run although people approved it: ${why}`);
  const edited = { ...source, approval: { ...source.approval, status: 'edited' as const } };
  expect(told(edited)).toContain(`make does not run although people changed it: ${why}`);
});

test('a card tells until when a call may run that has not run, since nothing draws it again then', () => {
  const until = /\^may run until \{date_short_pretty\} at \{time\}/;
  const source = ended(['approved', 'denied', 'approved']);
  expect(textOf(source)).toMatch(until);
  const ran = ['p0', 'p2'].map((permitId) => ({ ...RAN, permitId }));
  expect(textOf({ ...source, ran: ran.slice(0, 1) })).toMatch(until);
  expect(textOf({ ...source, ran })).not.toMatch(until);
  expect(textOf(ended(['denied', 'denied', 'denied']))).not.toMatch(until);
});

test('App Home tells a pause from a rule', () => {
  const pausedBy = (reasonCode: string) =>
    home({ ...ended(['denied']), decision: { ...decisionOf(['denied']), reasonCode, calls: [] } });
  expect(pausedBy('paused')).toContain('then paused by an operator: “');
  expect(pausedBy('policy_changed')).toContain('then denied by the policy: “');
});

test('of a batch each reason stands once', () => {
  const source = ended(['denied', 'error', 'denied']);
  expect(told(source)).toMatch(/approved them: a rule or a changed policy won; it could not be decided\.$/);
});

test.each([
  ['error', 'it could not be decided'],
  ['superseded', 'the policy changed meanwhile, and the agent has to propose it anew'],
  ['expired', 'its time was over'],
  ['cancelled', 'its agent withdrew it'],
])('a batch that ends as a whole as %s, none of its calls judged, tells why', (outcome, why) => {
  const decision = { ...decisionOf([]), outcome: outcome as 'error', message: 'Words for the agent.' };
  const source = { ...ended([]), decision };
  expect(told(source)).toBe(
    `<@U0ANN> 1 · Mail x, 2 · Mail main, 3 · Mail z do not run although people approved them: ${why}.`,
  );
  expect(textOf(source).includes('“Words for the agent.”')).toBe(outcome === 'error');
});

test('the card of a question that its agent withdrew quotes people alone', () => {
  const decision = { ...decisionOf([]), outcome: 'cancelled' as const, message: 'Words for the agent.' };
  const votes = [{ ...voteOf('reject'), reason: 'Not on a Friday' }];
  const text = textOf({ ...sourceOf(ONE, { status: 'cancelled', votes, endedAt: AT }), decision });
  expect(text).toContain('Cancelled by the agent');
  expect(text).toContain('“Not on a Friday”');
  expect(text).not.toContain('Words for the agent.');
});

test('of a batch in several folders no text names the first one for all', () => {
  const source = sourceOf(CALLS.map((call, index) => ({ ...call, cwd: index === 1 ? '/srv/prod' : '/srv/shop' })));
  expect(renderCard(source).text).toContain('3 · Mail z in 2 folders.');
  const one = sourceOf(CALLS.map((call) => ({ ...call, cwd: '/srv/shop' })));
  expect(renderCard(one).text).toContain('3 · Mail z in /srv/shop.');
  const oneStated = sourceOf(CALLS.map((call, index) => (index === 0 ? { ...call, cwd: '/srv/shop' } : call)));
  expect(renderCard(oneStated).text).toContain('3 · Mail z. ');
});

const PEOPLE: Record<string, string> = { U0ANN: 'Ann', U0BOB: 'Bob', U0CAT: 'Cat' };
const NAMES = {
  tools: {},
  rejectReasons: [],
  ruleAt: () => undefined,
  personName: ({ user }: { user: string }) => PEOPLE[user],
};
const one = (status: Approval['status'], votes: Vote[], more: Partial<Approval['question']> = {}): CardSource => {
  const source = sourceOf(CALLS.slice(0, 1), { status, votes, ...(status === 'pending' ? {} : { endedAt: AT }) });
  const { question } = source.approval;
  return { ...source, approval: { ...source.approval, question: { ...question, ...more } as never }, names: NAMES };
};

test.each<[string, Approval['status'], Vote[], string]>([
  [
    'one rejects what another approved',
    'rejected',
    [voteOf('approve'), voteOf('reject', 'U0BOB', 'No.')],
    'Approved by Ann · Rejected by Bob',
  ],
  [
    'one rejection does not count enough',
    'approved',
    [voteOf('reject', 'U0BOB', 'No.'), voteOf('approve'), voteOf('approve', 'U0CAT')],
    'Rejected by Bob · Approved by Ann and Cat',
  ],
  ['too few approve in time', 'expired', [voteOf('approve')], 'Approved by Ann'],
  ['the agent cancels after an approval', 'cancelled', [voteOf('approve')], 'Approved by Ann'],
  ['everybody approves', 'approved', [voteOf('approve'), voteOf('approve', 'U0CAT')], 'Ann, Cat'],
  [
    'more approve than are named',
    'approved',
    [voteOf('reject', 'U0BOB'), ...Array.from({ length: 7 }, () => voteOf('approve'))],
    'Rejected by Bob · Approved by Ann, Ann, Ann, Ann, Ann and Ann',
  ],
  ['one rejects', 'rejected', [voteOf('reject', 'U0BOB')], 'Bob'],
])('where %s the card says who did what', (_, status, votes, who) => {
  const text = textsOf(renderCard(one(status, votes)));
  expect(text.some((part) => part === who || part.startsWith(`${who} · `))).toBe(true);
});

test('people who are still asked see who rejected it and why, and that it is no approval', () => {
  const votes = [voteOf('reject', 'U0BOB', 'Wrong *host*')];
  const stages = [{ group: 'platform', channel: 'C0', quorum: 2, timeoutMs: 1_000, rejectEnds: false }];
  const text = textOf(one('pending', votes, { stages } as never));
  expect(text).toContain('0 so far · rejected by Bob: “Wrong  host ”');
});

test.each(['Not now, because of the freeze. '.repeat(9), '&'.repeat(300)])(
  'many rejections leave room for the time',
  (why) => {
    const votes = Array.from({ length: 40 }, (_, index) => voteOf('reject', `U0${index}`, why));
    const stages = [{ group: 'platform', channel: 'C0', quorum: 2, timeoutMs: 1_000, rejectEnds: false, eligible: 60 }];
    const source = one('pending', votes, { stages } as never);
    const list = renderList({ agent: 'coder', channel: 'C0', entries: [{ kind: 'asks', source }] });
    for (const { blocks } of [renderCard(source), list]) {
      const told = textsOf(blocks).find((text) => text.includes('rejected by U039')) ?? '';
      expect(told).toContain('rejected by 37 more');
      expect(told).toMatch(/until .*then it expires and is not run/);
      expect(told.length).toBeLessThanOrEqual(3_000);
    }
  },
);

test.each<[string, Vote[], readonly string[], string]>([
  ['all of those who are mentioned', [], ['U0ANN', 'U0BOB'], '2 of you must approve'],
  ['the group, once one of it approved', [voteOf('approve')], ['U0BOB', 'U0CAT'], '2 of platform must approve'],
  ['the group, where fewer are left than are needed', [], ['U0BOB'], '2 of platform must approve'],
])('a question to two people says how many of %s', (_, votes, users, words) => {
  const stages = [{ group: 'platform', channel: 'C0', quorum: 2, timeoutMs: 1_000 }];
  const people = users.map((user) => ({ person: { team: 'T0', user }, name: user, notify: 'mention' as const }));
  const audience = [{ group: 'platform', channel: 'C0', people }];
  expect(textOf({ ...one('pending', votes, { stages } as never), audience })).toContain(words);
});

describe('a batch that people decide call by call', () => {
  const calls = (choices: readonly ('approve' | 'reject')[], reasons: readonly (string | undefined)[]): Vote => ({
    ...voteOf('approve', 'U0BOB'),
    ...{ choice: 'approve', calls: choices.map((choice, index) => callVote(`c${index}`, choice, reasons[index])) },
  });
  const callVote = (id: string, choice: 'approve' | 'reject', reason?: string) => ({
    id,
    choice,
    ...(reason ? { reason } : {}),
  });

  test('each reason stands with the calls alone that it was given for', () => {
    const votes = [calls(['approve', 'reject', 'reject'], [undefined, undefined, 'Not z.'])];
    expect(textOf(ended(['approved', 'denied', 'denied'], 'approved', votes))).toContain(
      'approved 1 · rejected 2 · rejected 3: “Not z.”',
    );
    const same = [calls(['approve', 'reject', 'reject'], [undefined, 'Neither.', 'Neither.'])];
    expect(textOf(ended(['approved', 'denied', 'denied'], 'approved', same))).toContain('rejected 2 and 3: “Neither.”');
  });

  test('whoever approved none of it is not told as one who approved it', () => {
    const votes = [voteOf('approve'), calls(['reject', 'reject', 'reject'], [])];
    const source = ended(['approved', 'denied', 'approved'], 'approved', votes);
    const stages = [{ group: 'platform', channel: 'C0', quorum: 1, timeoutMs: 1_000, rejectEnds: false }];
    const approval = { ...source.approval, question: { ...source.approval.question, stages } } as never;
    expect(told({ ...source, approval })).toMatch(/^<@U0ANN> 2 · Mail main does/);
  });

  test('many reasons leave room for what came of the run', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ ...CALLS[0], id: `c${index}` })) as typeof CALLS;
    const each = many.map((_, index) => (index ? ('reject' as const) : ('approve' as const)));
    const votes = [
      calls(
        each,
        many.map((_, index) => `${index} ${'because '.repeat(60)}`),
      ),
    ];
    const ran = [{ callId: 'c0', permitId: 'p0', status: 'failed', durationMs: 1_000, at: AT }] as const;
    const decision = decisionOf(each.map((choice) => (choice === 'approve' ? 'approved' : 'denied')));
    const text = textOf({ ...sourceOf(many, { status: 'approved', votes, endedAt: AT }), decision, ran });
    expect(text).toContain('rejected 20: “19 because');
    expect(text).toContain('1 failed after 1.0 s · Approval');
  });

  test('whoever approved none of it approved nothing for those who are asked next', () => {
    const source = sourceOf(CALLS, { votes: [voteOf('approve'), calls(['reject', 'reject', 'reject'], [])], stage: 1 });
    const stage = { channel: 'C0', quorum: 1, timeoutMs: 1_000, rejectEnds: false };
    const stages = [
      { ...stage, group: 'platform' },
      { ...stage, group: 'release', channel: 'C1' },
    ];
    const approval = { ...source.approval, question: { ...source.approval.question, stages } } as never;
    expect(textsOf(renderCard({ ...source, approval, names: NAMES }, 'C0')).join('\n')).toContain(
      'platform approved (Ann).',
    );
  });

  test('a rejection that does not end a call stands beside it while it waits', () => {
    const source = sourceOf(CALLS, { votes: [calls(['approve', 'reject', 'approve'], [undefined, 'Not main.'])] });
    const { question } = source.approval;
    const stages = [{ group: 'platform', channel: 'C0', quorum: 2, timeoutMs: 1_000, rejectEnds: false }];
    const text = textsOf(
      renderCard({
        ...source,
        approval: { ...source.approval, question: { ...question, stages } } as never,
        names: NAMES,
      }),
    );
    const at = text.indexOf('2');
    expect(text.slice(at, at + 6).join('')).toContain('rejected by Bob: “Not main.”');
    expect(text.join('\n')).not.toContain('✗');
    expect(text.join('\n').match(/rejected by/g)).toHaveLength(1);
  });
});

test('a card that silence approved says so, and one that somebody answered in part is not called approved by them', () => {
  const silent = { ...sourceOf(ONE, { status: 'expired', endedAt: AT }), decision: decisionOf(['approved']) };
  expect(textOf(silent)).toContain('platform did not answer, and the policy file takes that for a yes');
  const calls = [
    { id: 'c0', choice: 'approve' as const },
    { id: 'c1', choice: 'reject' as const },
  ];
  const votes = [{ ...voteOf('approve'), calls } as Vote];
  const text = textOf({
    ...sourceOf(CALLS, { status: 'expired', votes, endedAt: AT }),
    decision: decisionOf(['expired', 'denied', 'expired']),
  });
  expect(text).toContain('Answered call by call by');
  expect(text).not.toContain('Approved by');
});
