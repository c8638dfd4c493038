/** Orders the plays of all incidents: side by side in a phase, one phase after another. */
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import { type Card, cardOf } from '../harness/slack.ts';
import {
  breaker,
  canarySilent,
  cardDead,
  expire,
  forged,
  hookThrows,
  lateClicks,
  missingFunction,
  modelSays,
  operateWithoutRight,
  pauseForgotten,
  recordChanged,
  refusals,
  slackRefuses,
  tokenEnded,
} from './outside-plays.ts';
import {
  clickWithoutRight,
  evaluateWithoutRight,
  letters,
  notStarting,
  reconcileFails,
  reconcileWithoutRight,
  requestWithoutRight,
  resumeWithoutRight,
  slackOutWithoutRight,
} from './rights-plays.ts';
import { AWS_ALONE, minutes, type Phase, type Play, push, stated } from './seen.ts';

const tiny = (of: GateFunctionName, ms: number): Play =>
  stated('a run takes milliseconds here, and AWS alone writes its duration', [
    { metric: 'Duration', of: `Gate${of[0]?.toUpperCase()}${of.slice(1)}Function`, value: ms },
  ]);

let clickable: Card | undefined;
const clickFails: Play = async () => clickWithoutRight(clickable ?? (await cardOf((await push('clickable')).pid)));

export const PHASES: readonly Phase[] = [
  {
    'a fifth of the decisions are errors': refusals,
    'every decision is an error': refusals,
    'an unregistered sender floods': refusals,
    'a message is no JSON, or has an unknown field': refusals,
  },
  // Fewer at once than a busy machine can start processes for: a run out of time comes again a minute later.
  {
    'nobody answers, every question expires': expire,
    'a model is away': modelSays('hang up', 3),
    'somebody changes the record': recordChanged,
  },
  {
    'a hook throws': hookThrows,
    'a tool answers 503 until its breaker opens': breaker,
    'a card is dead-lettered after another': cardDead,
    'operate is without a right': operateWithoutRight,
  },
  {
    'clicks take over three seconds': lateClicks,
    'many clicks take over three seconds, or fail': lateClicks,
    'agents can no longer send': canarySilent,
    'requests are forged': forged,
  },
  {
    'a model answers what nobody can use': modelSays('no JSON at all', 3),
    'the function of a tool is missing': missingFunction,
    'reconcile is without a right': reconcileWithoutRight,
    'KMS or another right is denied to any function': reconcileFails,
  },
  // Nothing else posts meanwhile: the next posts fail, whoever sends them.
  {
    'Slack takes no posts in a channel': slackRefuses('restricted_action', 3),
    'a pause is forgotten': pauseForgotten,
  },
  { 'a card is too long for Slack': slackRefuses('msg_too_long', 1) },
  { 'the token of Slack has ended, before any card': tokenEnded },
  {
    'slack is without a right': clickFails,
    'a bundle does not start': notStarting,
    'resume is without a right': resumeWithoutRight,
  },
  { 'request-approval is without a right': requestWithoutRight },
  { 'slack-out is without a right': slackOutWithoutRight },
  { 'KMS or another right is denied to those who are waited for': evaluateWithoutRight },
  {
    'evaluate is without its table': letters,
    'dead letters of proposals that nobody answers': letters,
    'dead letters cannot be answered': letters,
  },
  {
    'DynamoDB throttles': stated(AWS_ALONE, [
      { metric: 'WriteThrottleEvents', of: 'TableName=GateTablesState', value: 12 },
    ]),
    'StartExecution or a transition is throttled': stated(AWS_ALONE, [{ metric: 'ExecutionThrottled', value: 12 }]),
    'the rule of reconcile fails': stated('the local endpoint runs no schedules', [], {
      before: { metric: 'ApprovalsLookedAfter', value: 1, everyMs: minutes(1) },
    }),
    'the rule of seal fails': stated('the local endpoint runs no schedules', [], {
      before: { metric: 'SealsWritten', value: 1, everyMs: minutes(5) },
    }),
    'somebody else uses up the concurrency of the account': stated(AWS_ALONE, [
      { metric: 'Throttles', of: 'GateEvaluateFunction', value: 3 },
      { metric: 'Invocations', of: 'GateEvaluateFunction', value: 20 },
    ]),
    'evaluate comes near its time-out': tiny('evaluate', 9_000),
    'reconcile comes near its time-out': tiny('reconcile', 55_000),
    'the gate allows what it must deny': stated('no fault that can be played makes the gate allow', [
      { metric: 'CanaryWrong', value: 1 },
    ]),
  },
];
