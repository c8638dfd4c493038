/** Lets agents, people and operators do what the plan says: they retry, come late and lie. */
import type { Decision, RedeemAnswer } from '../../../shared/contract/index.ts';
import { choiceDigest } from '../../../shared/domain/digest.ts';
import { edit, vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import type { Effect } from '../model/history.ts';
import {
  type Cancel,
  type Choose,
  type Click,
  type Deploy,
  inputOf,
  type Leave,
  numberIn,
  type Propose,
  type Spoil,
  type Step,
} from '../model/plan.ts';
import { FIRST_CHANNEL, type FlowName, PEOPLE } from '../model/policies.ts';
import { numbersOn } from '../world/slack.ts';
import type { World } from '../world/world.ts';
import { ask } from './asks.ts';
import { playCanary } from './canary.ts';
import { forge } from './forgers.ts';
import { fill } from './forms.ts';
import { proposeGuarded } from './guarded.ts';
import { addRule, decide, delegate, operate, redrive, replay, revoke, voidPermits } from './operators.ts';
import { clickSigned } from './signed-clicks.ts';
import { outcomeOf, reportsOf } from './tool-servers.ts';
import { visit } from './visits.ts';

const MINUTE = 60_000;
/** An agent gives up after so long without a decision. */
const MAX_WAIT_MS = 40 * MINUTE;

export function begin(world: World): void {
  // Steps of one moment are taken in one turn: their messages may come in one batch.
  for (const [at, steps] of Map.groupBy(world.plan.steps, (step) => step.at))
    world.clock.after(at, () => {
      for (const step of steps) void act(step, world).catch(() => undefined);
    });
}

async function act(step: Step, world: World): Promise<void> {
  switch (step.do) {
    case 'propose':
      return step.guarded ? proposeGuarded(step, world) : propose(step, world);
    case 'choose':
      return choose(step, world);
    case 'cancel':
      return cancel(step, world);
    case 'click':
      return click(step, world);
    case 'decide':
      return decide(step, world);
    case 'delegate':
      return delegate(step, world);
    case 'operate':
      return operate(step, world);
    case 'void permits':
      return voidPermits(world);
    case 'deploy':
      return deploy(step, world);
    case 'outage':
      if (step.ports.includes('deferred')) world.history.isDeferredOut = true;
      world.tell(
        () => `${step.ports.join(', ')} ${step.loses ? 'lost' : 'out of service'} for ${step.lasts / 1_000} s`,
      );
      return;
    case 'archive':
      world.slack.archive(FIRST_CHANNEL);
      world.history.archivedAt ??= world.clock.now();
      world.tell(() => `${FIRST_CHANNEL} is archived`);
      return;
    case 'endpoint':
    case 'idle':
    case 'lag':
    case 'receive':
      return;
    case 'dismiss':
      world.history.dismissedAt ??= world.clock.now();
      world.tell(() => 'the operator is registered no longer');
      return;
    case 'leave':
      return leave(step, world);
    case 'add rule':
      return addRule(step, world);
    case 'replay':
      return replay(step, world);
    case 'revoke':
      return revoke(step, world);
    case 'canary':
      return playCanary(step, world);
    case 'talk':
      return world.chat.say(step);
    case 'answer':
      return world.chat.answer(step);
    case 'ask':
      return ask(step, world);
    case 'fill':
      return fill(step, world);
    case 'visit':
      return visit(step, world);
    case 'forge':
      return forge(step, world);
    case 'set aside':
      return world.deadLetters.setAside(step.queue, step.lasts);
    case 'redrive':
      return redrive(step, world);
    case 'mute':
      world.history.muted.add(step.agent);
      return;
    case 'spoil':
      return spoil(step, world);
    default:
      step satisfies never;
  }
}

function leave({ who, lasts = Number.POSITIVE_INFINITY }: Leave, { clock, history, tell }: World): void {
  const at = clock.now();
  history.left.push({ who, at, until: at + lasts });
  tell(() => `${who} leaves the workspace`);
}

function deploy({ policy, lasts = 0 }: Deploy, { clock, containers, documents, gate, history, tell }: World): void {
  const at = clock.now();
  const document = documents[policy];
  gate.usePolicy(document);
  containers.deploy(document, lasts);
  const before = history.deployed.at(-1);
  if (before) before.doneAt = Math.min(before.doneAt ?? at, at);
  history.deployed.push({ at, policy, version: gate.parts.policy.version, doneAt: at + lasts });
  tell(() => `the policy file is ${policy} ${lasts ? `within ${lasts / 1_000} s` : 'from now on'}`);
}

/** Shaped as the tokens of a well-known service, and nobody's. */
export const SECRET = `ghp_${'0123456789abcdefghij'}ABCDEFGHIJ012345`;
/** Above the 8 KB that a row takes. */
const LARGE = 'large '.repeat(7_000);
const proposedInput = ({ secret, large }: Pick<Propose, 'secret' | 'large'>, number: number) => ({
  ...inputOf(number),
  ...(large ? { text: LARGE } : {}),
  ...(secret ? { note: SECRET } : {}),
});

/** The bytes that an agent sends at that time. */
export function messageFor(step: Propose, number: number, now = 0): string {
  const { id, tool, also, alsoTool = tool, more = 0, spoilt, lasts } = step;
  const one = { toolName: tool, input: proposedInput(step, number) };
  const calls = [
    { id: 'call', ...one },
    ...(also === undefined ? [] : [{ id: 'also', toolName: alsoTool, input: inputOf(also) }]),
    ...Array.from({ length: more }, (_, index) => ({
      id: `more${index}`,
      toolName: tool,
      input: inputOf(number + 1 + index),
    })),
  ];
  const ends = lasts === undefined ? {} : { expiresAt: new Date(now + lasts).toISOString() };
  const raw = JSON.stringify({ kind: 'tool-call', proposalId: id, calls, ...ends });
  switch (spoilt) {
    case 'unsafe number':
      return raw.replace(/"number":/, '"large":9007199254740993,"number":');
    case 'double key':
      return raw.replace(/"number":/, '"number":0,"number":');
    case 'no id':
      return raw.replace(JSON.stringify(id), '{}');
    case undefined:
      return raw;
    default:
      return spoilt satisfies never;
  }
}

/** As after a rollback, or as a row that somebody damaged. */
function spoil({ id, how }: Spoil, world: World): void {
  const agent = world.history.sent.find((sent) => sent.id === id)?.agent;
  if (agent === undefined) return;
  const isDone = world.stored.damage(world.pid(agent, id), (approval) =>
    how === 'newer' ? { ...approval, newerField: { of: 'the next release' } } : { ...approval, question: 7 },
  );
  if (!isDone) return;
  if (how === 'broken') world.history.broken.add(id);
  world.tell(() => `the row of ${id} ${how === 'newer' ? 'has a field of a newer version' : 'is damaged'}`);
}

/** Tries again, as any process does that is started again. */
async function insist<Result>(work: () => Promise<Result>, world: World, tries = 5): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await world.faults.invoke('agent', work);
    } catch (error) {
      if (tried === tries) throw error;
      await world.sleep(5_000 * tried);
    }
  }
}

export async function propose(step: Propose, world: World): Promise<void> {
  const { agent, id } = step;
  const { queue } = world.gate.agentSide(agent);
  const sentAt = world.clock.now();
  const messageOf = (number: number) => messageFor(step, number, sentAt);
  world.noteSent(step);
  await queue.publish(messageOf(step.number), agent);
  for (const later of step.copies) world.clock.after(later, () => void queue.publish(messageOf(step.number), agent));
  if (step.other !== undefined) {
    world.history.lied.add(id);
    world.clock.after(step.other, () => void queue.publish(messageOf(step.number + 10), agent));
  }
  if (!step.run) return;
  const decision = await decisionOf(step, world);
  if (decision?.outcome !== 'approved') return;
  for (let time = 0; time < step.run.times; time++)
    world.clock.after(
      (step.run.later ?? 0) + time * step.run.apart,
      () => void run(step, decision, time, world).catch(() => undefined),
    );
}

/** As the client polls, with less patience for each read. */
async function decisionOf({ agent, id }: Propose, world: World): Promise<Decision | undefined> {
  const { reader } = world.gate.agentSide(agent);
  const pid = world.pid(agent, id);
  const until = world.clock.now() + MAX_WAIT_MS;
  const read = async () => {
    const claim = await reader.read(agent, pid, 'evaluated');
    return claim?.decision ?? (await reader.read(agent, pid, 'decided'))?.decision;
  };
  let pause = 100;
  const nextPause = () => Math.min(20_000, pause * 2);
  // In memory the looks before that come to nothing. On tables each of them may meet a fault.
  if (!world.plan.onTables) {
    let at = world.clock.now();
    await world.deciding.until(agent, id);
    for (; at < world.clock.now(); pause = nextPause()) at += pause;
    await world.sleep(at - world.clock.now());
  }
  for (; world.clock.now() < until; pause = nextPause()) {
    const decision = await read();
    if (decision) return decision;
    await world.sleep(pause);
  }
  return undefined;
}

export async function run(step: Propose, decision: Decision, time: number, world: World): Promise<void> {
  const [call] = decision.calls;
  if (!call?.permit || !step.run) return;
  const { agent, id, tool } = step;
  const number = step.run.unedited ? step.number : numberIn(call.effective?.input, step.number);
  const { permitId } = call.permit;
  const input = call.effective && !step.run.unedited ? inputOf(number) : proposedInput(step, number);
  const asked = { proposalId: id, callId: call.id, permitId, toolName: tool, input };
  const { executions, redeemer, outcomes } = world.gate.agentSide(agent);
  if (step.run.how === 'gate')
    return executions.publish(
      JSON.stringify({ ...asked, requestId: `${id}:${permitId}:${time}`.slice(0, 128) }),
      agent,
    );
  const since = world.clock.now();
  const answer: RedeemAnswer = await insist(() => redeemer.redeem({ ...asked, agent }), world, 3);
  world.tell(() => `${agent} is told about ${id}: ${answer.granted ? 'granted' : answer.error.code}`);
  if (!answer.granted) return;
  const at = world.clock.now();
  const effect: Effect = {
    at,
    since,
    id,
    number,
    permitId,
    by: 'agent',
    until: at + 200 + Math.floor(world.random() * 5_000),
  };
  world.history.effects.push(effect);
  world.tell(() => `EFFECT of ${id}, run by its agent`);
  await world.sleep(effect.until - at);
  if (!step.run.report) return;
  const { actionDigest } = call;
  const { redemptionId } = answer;
  const ran = { agent, proposalId: id, callId: call.id, permitId, actionDigest, redemptionId, effect };
  if (step.run.how === 'server') return reportsOf(ran, step.run.reports, world);
  effect.isReported = true;
  await outcomes.publish(JSON.stringify(outcomeOf(ran, 'succeeded')), agent);
}

/** As the client sends it. */
async function choose({ agent, id, policy, flows, copies, ...step }: Choose, world: World): Promise<void> {
  const { queue } = world.gate.agentSide(agent);
  const actions = flows.map(actionOf);
  const actionSpace = { persona_id: 'ops', actions, current_verdicts: [], blocked_actions: [] };
  const snapshot = { facts: {}, entity_states: {}, observed_at: '2026-01-01T00:00:00Z' };
  const raw = JSON.stringify({ kind: 'action-choice', proposalId: id, policy, actionSpace, snapshot });
  world.history.choices.push({ ...step, agent, id, policy, flows, copies, sentAt: world.clock.now() });
  world.tell(() => `${agent} has ${policy} choose among ${flows.join(', ')} as ${id}`);
  await queue.publish(raw, agent);
  for (const later of copies) world.clock.after(later, () => void queue.publish(raw, agent));
}

/** The flow that a person takes instead of the one on the card. */
function insteadOf(id: string, place: number | undefined, world: World) {
  const step = senderOf(id, world);
  if (place === undefined || step?.do !== 'choose') return undefined;
  const index = place % step.flows.length;
  const flow = step.flows[index] as FlowName;
  return { index, flow, digest: choiceDigest(actionOf(flow)) };
}

const actionOf = (flow: FlowName) => ({ flow_id: flow, persona_id: 'ops' });

/** The step that sent this id: an agent proposes, or has a policy choose. */
const senderOf = (id: string, { plan }: World) =>
  plan.steps.find((step) => (step.do === 'propose' || step.do === 'choose') && step.id === id) as
    | Propose
    | Choose
    | undefined;

async function cancel({ id }: Cancel, world: World): Promise<void> {
  const proposed = senderOf(id, world);
  if (!proposed) return;
  world.history.withdrawn.push({ at: world.clock.now(), id });
  world.tell(() => `${proposed.agent} withdraws ${id}`);
  const { queue } = world.gate.agentSide(proposed.agent);
  await queue.publish(JSON.stringify({ kind: 'cancel', proposalId: `cancel-${id}`, cancels: id }), proposed.agent);
}

async function click(step: Click, world: World): Promise<void> {
  const proposed = senderOf(step.id, world);
  if (!proposed) return;
  const pid = world.pid(proposed.agent, step.id);
  // Nobody can click before there is a card; people look again now and then.
  for (let look = 0; look < 12 && !world.slack.buttonOf(pid, false); look++) await world.sleep(20_000);
  for (const later of step.again) world.clock.after(later, () => void clickOnce(step, pid, world));
  await clickOnce(step, pid, world);
}

export async function clickOnce(
  { id, who, choice, remember, edit: changed, substitute }: Click,
  pid: string,
  world: World,
): Promise<void> {
  const button = world.slack.buttonOf(pid, world.random() < 0.3);
  if (!button) return;
  for (let tries = 0; tries < 3; tries++) {
    const requestId = world.ids.next();
    const { card, value } = button;
    const seen = await world.actionsOf(pid, value.digest);
    const shows = numbersOn(button);
    const instead = insteadOf(id, substitute, world);
    const shown = await world.flowOn(pid, value.digest);
    const cast = changed !== undefined ? ('edit' as const) : instead ? ('substitute' as const) : choice;
    const clicked = {
      at: world.clock.now(),
      id,
      who,
      choice: cast,
      remember,
      seen,
      shows,
      requestId,
      ...(changed === undefined ? {} : { edit: changed }),
      ...(shown ? { flow: instead?.flow ?? shown } : {}),
    };
    const noted: (typeof world.history.votes)[number] = clicked;
    world.history.votes.push(noted);
    world.tell(() => `${who} clicks ${cast} on ${id}${changed === undefined ? '' : ` to ${changed}`}`);
    const ballot = {
      questionDigest: value.digest,
      via: 'slack' as const,
      ...(instead
        ? { choice: 'substitute' as const, index: instead.index, actionDigest: instead.digest }
        : choice === 'approve'
          ? { choice, ...(remember ? { remember: 'session' as const } : {}) }
          : { choice, reason: 'not today' }),
    };
    const from = { card, isOwn: () => true };
    if (world.endpoint && cast !== 'substitute') {
      const pressed = { who, button, choice, remember, edit: changed, trigger: requestId };
      if (await clickSigned(pressed, noted, world)) return;
      await world.sleep(4_000);
      continue;
    }
    const given = { pid, person: PEOPLE[who], isBot: false, requestId, from };
    const { questionDigest, via } = ballot;
    const edited = changed !== undefined && { callId: 'call', input: inputOf(changed), questionDigest, via };
    try {
      const voted = await world.invoke('slack', () =>
        edited ? edit({ ...given, ...edited }, world.gate.parts) : vote({ ...given, ballot }, world.gate.parts),
      );
      noted.told = voted.kind === 'counted' ? 'counted' : voted.refusal;
      noted.toldAt = world.clock.now();
      world.tell(() => `${who} is told about ${id}: ${noted.told}`);
      return;
    } catch {
      await world.sleep(4_000);
    }
  }
}
