/** Judges events that leave the gate: each is signed, names nobody, and arrives or is set aside. */
import { createHmac } from 'node:crypto';
import { MAX_VISIBILITY_S, WEBHOOK_PAUSES_S } from '../../../shared/config/schema/defaults.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import type { History } from '../model/history.ts';
import { PEOPLE, TICKETS, WEBHOOK } from '../model/policies.ts';
import type { Fail } from '../world/remains.ts';

type Heard = History['webhooks']['heard'][number];

/** Before it is sent again, an entry is in the index by which the record is searched. */
const INDEXED_MS = 10_000;
/** A rotated secret is in use by then. */
const SECRET_KNOWN_MS = 5 * 60_000;
/** A time in a header has no milliseconds. */
const SECOND_MS = 1_000;
/** From the answer of a receiver to the end of the batch, with its slowest one, and to the next delivery. */
const BATCH_MS = 15_000;

export function judgeEvents(history: History, fail: Fail): void {
  const { events, webhooks } = history;
  const texts = [JSON.stringify(events), ...webhooks.heard.map(({ body }) => body)].join('\n');
  const named = Object.values(PEOPLE).find(({ user }) => texts.includes(user));
  if (named) fail('G37', `an event names ${named.user} outside of the account`);
  judgeReplays(history, fail);
  if (!webhooks.put.length) return;
  judgeReceived(history, fail);
  for (const heard of webhooks.heard) judgeSignature(heard, history, fail);
  if (history.troubled.length) return;
  judgeTold(history, fail);
  // An event that is sent again has two messages.
  if (!history.replayed.length) judgePauses(history, fail);
}

function judgeReplays({ decided, events, replayed, terms }: History, fail: Fail): void {
  for (const sent of events)
    if (sent.some(({ at }, index) => at < (sent[index - 1]?.at ?? at)))
      fail('G38', 'events are sent again in another order');
  for (const { id, at, from, doneAt } of replayed) {
    if (doneAt === undefined) continue;
    const ids = new Set(events.flat().map(({ proposalId }) => proposalId));
    for (const { agent, decision, at: decidedAt } of decided) {
      if (agent === CANARY) continue;
      const isMeant = decidedAt > from + terms.apartMs && decidedAt < at - INDEXED_MS - terms.apartMs;
      if (isMeant && decision.proposalId !== null && !ids.has(decision.proposalId))
        fail('G45', `${id} sends no event of ${decision.proposalId} again`);
    }
  }
}

/** An event in the line of a webhook is taken by its receiver, or set aside; and each id is one event. */
function judgeReceived({ webhooks, decided }: History, fail: Fail): void {
  const { put, heard, dead } = webhooks;
  const taken = new Set(heard.flatMap(({ webhook, id, isTaken }) => (isTaken ? [`${webhook} ${id}`] : [])));
  for (const { webhook, id, name } of put) {
    const place = `${webhook} ${id}`;
    if (!taken.has(place) && !dead.has(place)) fail('G45', `${webhook} never has the event ${name} ${id}`);
    if (webhook === TICKETS.name && !TICKETS.events.some((one) => one === name))
      fail('G38', `${webhook} is told of ${name}, which it does not want`);
  }
  const known = new Map(put.map(({ id, name, proposalId }) => [id, `${name} ${proposalId}`]));
  for (const { id, name, proposalId } of put) {
    if (known.get(id) !== `${name} ${proposalId}`) fail('G38', `two events have the id ${id}`);
    const isTrue = () => decided.some(({ decision }) => decision.proposalId === proposalId);
    if (name === 'ProposalDecided' && proposalId !== null && !isTrue())
      fail('G39', `an event tells of a decision on ${proposalId}, which has none`);
  }
}

/** As a receiver verifies it, with the keys that it was given. */
function judgeSignature({ at, id, seconds, signatures, body, webhook }: Heard, history: History, fail: Fail): void {
  const { apartMs } = history.terms;
  if ((JSON.parse(body) as { readonly id?: unknown }).id !== id)
    fail('G39', `${webhook} is sent ${id} as another event`);
  if (Math.abs(at - seconds * SECOND_MS) > apartMs + SECOND_MS)
    fail('G39', `the time of ${id} is not that of its sending`);
  const keys = history.webhooks.keys.filter(({ from, until }) => from <= at && until > at - SECRET_KNOWN_MS - apartMs);
  const isSigned = keys.some(({ key }) => {
    const bytes = Buffer.from(key.replace('whsec_', ''), 'base64');
    return signatures.includes(`v1,${createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64')}`);
  });
  if (!isSigned) fail('G39', `${webhook} is sent ${id} without a signature that holds then`);
}

const DECIDED = ['ProposalDecided'] as const;
/** The entry of a proposal that was withdrawn before it came is that of its withdrawal. */
const CANCELLED = ['ProposalDecided', 'ProposalCancelled'] as const;

/** Where nothing fails, receivers hear of each decision, question and vote. */
function judgeTold({ decided, opened, replayed, votes, webhooks, terms }: History, fail: Fail): void {
  if (!replayed.length)
    for (const [place, copies] of Map.groupBy(webhooks.put, ({ webhook, id, name }) => `${webhook} ${name} ${id}`))
      if (copies.length > 1) fail('G33', `${place} is told ${copies.length} times`);
  const told = new Set(webhooks.put.map(({ webhook, name, proposalId }) => `${webhook} ${name} ${proposalId}`));
  const expect = (webhook: string, names: readonly string[], id: string) => {
    if (!names.some((name) => told.has(`${webhook} ${name} ${id}`)))
      fail('G45', `${webhook} is not told of ${names.join(' or ')} of ${id}`);
  };
  // The canary's own reach nobody.
  const ours = ({ agent }: { readonly agent: string }) => agent !== CANARY;
  for (const { decision } of decided.filter(ours))
    if (decision.proposalId !== null)
      expect(WEBHOOK, decision.outcome === 'cancelled' ? CANCELLED : DECIDED, decision.proposalId);
  for (const { id } of opened.filter(ours))
    for (const webhook of [WEBHOOK, TICKETS.name]) expect(webhook, ['ApprovalOpened'], id);
  for (const { id, told: answer } of votes)
    if (answer === 'counted' && terms.isWhole) expect(WEBHOOK, ['VoteCounted'], id);
}

/** A message that was not taken comes again after its pauses, or later if its receiver asks for it. */
function judgePauses({ webhooks: { heard, dead }, jumps }: History, fail: Fail): void {
  for (const [place, tries] of Map.groupBy(heard, ({ webhook, id }) => `${webhook} ${id}`)) {
    for (const [index, { at, askedMs, isTaken }] of tries.entries()) {
      const next = tries[index + 1];
      const pause = Math.max((WEBHOOK_PAUSES_S[index] ?? 0) * SECOND_MS, Math.min(askedMs, MAX_ASKED_MS));
      if (isTaken && next) fail('G39', `${place} comes again although it was taken`);
      if (next && next.at < at + pause) fail('G34', `${place} comes again after ${next.at - at} ms`);
      const isAcross = jumps.some((jump) => at <= jump && jump <= (next?.at ?? at));
      if (next && next.at > at + pause + BATCH_MS && !isAcross)
        fail('G34', `${place} comes again only after ${next.at - at} ms`);
    }
    if (dead.has(place) && tries.length !== WEBHOOK_PAUSES_S.length + 1)
      fail('G45', `${place} is set aside after ${tries.length} tries`);
  }
}

/** The queue hides a message for no longer. */
const MAX_ASKED_MS = MAX_VISIBILITY_S * SECOND_MS;
