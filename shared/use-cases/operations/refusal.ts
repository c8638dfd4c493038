/** Declares refusals of operations: a stable code, and the field with the problem in words. */
import type { Policy } from '../../config/compile.ts';
import { LIMITS } from '../../contract/bounds.ts';
import type { Operation } from '../../contract/operation.ts';
import type { SentOperation } from '../../contract/operation-order.ts';
import type { RedriveAnswer } from '../../contract/redrive.ts';
import type { OrderRefusal } from '../../domain/approval/order.ts';
import { ownValue } from '../../domain/own.ts';
import { orNearest } from '../../domain/text/nearest.ts';
import type { Pause } from '../../ports/stores/control.ts';
import type { DelegationChange } from '../people/delegation.ts';

export interface OperationResult {
  readonly accepted: boolean;
  readonly code: string;
  /** `field: what is wrong`: of a refusal, or of a part that was left out. */
  readonly problem?: string | undefined;
  /** The stricter or longer pause of the same scope that this one took the place of. */
  readonly replaced?: Pick<Pause, 'effect' | 'until'> | undefined;
  /** The newer operation that this one would have undone. */
  readonly by?: SentOperation | undefined;
  /** For a person who was forgotten: the alias that is nobody's now, and the entries that hold the id itself. */
  readonly forgotten?:
    | { readonly alias?: string; readonly stillNamed: number; readonly stillNamedUntil?: string }
    | undefined;
  /** The dead letters that were brought back. */
  readonly redriven?: RedriveAnswer | undefined;
}

/** Why an operation was not done, by code, each with its field. */
const PROBLEMS: Readonly<Record<string, string>> = {
  unregistered_sender:
    'these credentials are registered as no operator of this deployment; a role that is an agent is none',
  dead_letter:
    'operationId: the gate tried for an hour and could not finish this; see whether it was done, and send it again if it is meant',
  sent_in_future: 'sentAt: is more than 5 minutes in the future; set the clock of the sender',
  own_agent: 'agent: nobody loosens an agent that they answer for; ask another operator',
  bypass_is_off: 'mode: the policy file has bypass off (bypass.enabled), so that a session would be in mode default',
  own_place: 'to: nobody gives the vote of another person to themselves',
  same_person: 'to: is the person who is away',
  no_such_pause: 'scope: nothing of this scope is paused',
  unknown_approval: 'proposalId: nothing that people were asked about has this id; see `countersign pending`',
  unknown_action: 'flow: the proposal has no action of this flow',
  several_actions: 'flow: the proposal has several actions of this flow; they are told apart in Slack',
  unknown_session: 'session: nothing is remembered of a session by this name',
  unknown_grant: 'grant: nothing that holds now has this id; see `countersign grants list`',
  no_such_rule: 'pattern: no rule of this effect and pattern was added there',
  too_many_rules: 'pattern: the session holds as many rules as it may',
  invalid_rule: 'pattern: is no rule that can be read',
  rule_without_effect: 'pattern: this rule would grant nothing, or match no call',
  managed_rules_only: 'effect: the policy file lets managed allow rules count and no others (managedRulesOnly)',
  needs_two_people: 'pattern: speaks of a tool of high severity, which two people approve each time',
  until_is_missing: 'until: an allow for every session needs an end, at most 90 days ahead',
  until_is_over: 'until: is over already',
  until_is_too_late: 'until: is more than 90 days ahead',
  until_is_too_far: 'until: is more than 366 days ahead; without it this holds until it is taken back',
  until_is_before_from: 'until: must be after from',
  no_delegation: 'person: nobody votes in the place of this person',
  too_many: 'person: there are too many delegations',
  too_many_events: 'until: more than 1,000 entries of the record are of this time; send it in parts',
  still_listed: 'person: the policy file lists this person; take them out of it and deploy, then send this again',
  no_aliases:
    'record.people: entries name people by their ids; with `aliases` in the policy file, those of later can be forgotten',
  nobody_named: 'person: no alias, no delegation and no entry of the record is of this person',
  no_such_event: 'from: no entry of this time tells of an event that this webhook is sent',
};

export const refuse = (code: string, problem = ownValue(PROBLEMS, code)): OperationResult => ({
  accepted: false,
  code,
  ...(problem === undefined ? {} : { problem }),
});

/** Why a pause or a rule may not end then: the code of a refusal, or undefined. */
export function problemOfEnd(until: string | undefined, now: number): string | undefined {
  if (until === undefined) return undefined;
  const end = Date.parse(until);
  if (end <= now) return 'until_is_over';
  return end > now + LIMITS.namedEndMs ? 'until_is_too_far' : undefined;
}

/** The refusal of an operation that its order does not let happen any more. */
export function outOfOrder(refusal: OrderRefusal): OperationResult {
  if (refusal.code !== 'superseded')
    return refuse(refusal.code, 'sentAt: lies ahead of the gate; set the clock of the sender');
  const { at } = refusal.by;
  const newer = `operationId: a newer operation of ${new Date(at).toISOString()} holds; send this one again if it is meant`;
  return { ...refuse(refusal.code, newer), by: refusal.by };
}

/** `why`: the refusal in other words than an operator's. */
export function delegationDone(change: DelegationChange, kind: string, why?: string): OperationResult {
  if (change.code === 'changed') return { accepted: true, code: `${kind}d` };
  return change.code === 'superseded' ? outOfOrder(change) : refuse(change.code, why);
}

type Names = Pick<Policy, 'settings' | 'tools'>;

/**
 * Refuses an operation that names an agent or a person whom the policy file does not declare, or a tool that no call can have. Only a pause that
 * is to be lifted may name any, because an agent that was taken out of the file may still be paused.
 */
export function unknownName(wanted: Operation, { settings, tools }: Names): OperationResult | undefined {
  const { agents, people, webhooks } = settings;
  const agent = (field: string, name: string) =>
    Object.hasOwn(agents, name) ? undefined : refuse('unknown_agent', undeclared(field, 'agent', name, agents));
  const person = (field: string, name: string) =>
    Object.hasOwn(people, name) ? undefined : refuse('unknown_person', undeclared(field, 'person', name, people));
  switch (wanted.kind) {
    case 'pause': {
      const { scope, effect } = wanted;
      if (effect === 'lift') return undefined;
      if ('tool' in scope) return impossibleTool('scope.tool', scope.tool, tools);
      return 'agent' in scope ? agent('scope.agent', scope.agent) : undefined;
    }
    case 'revoke':
      return agent('agent', wanted.agent) ?? impossibleTool('tool', wanted.tool, tools);
    case 'decide':
    case 'set-mode':
    case 'add-rule':
    case 'remove-rule':
      return agent('agent', wanted.agent);
    case 'delegate':
      return person('person', wanted.person) ?? person('to', wanted.to);
    case 'undelegate':
      return person('person', wanted.person);
    case 'replay':
      return Object.hasOwn(webhooks, wanted.webhook)
        ? undefined
        : refuse('unknown_webhook', undeclared('webhook', 'webhook', wanted.webhook, webhooks));
    case 'void-permits':
    case 'redrive':
    case 'forget':
      return undefined;
    default:
      return wanted satisfies never;
  }
}

/** A brake on `bash` would stop nothing: every call has another name. A tool that is not listed may be called, so that its name is taken. */
function impossibleTool(field: string, name: string | undefined, tools: Names['tools']): OperationResult | undefined {
  const found = name === undefined ? undefined : tools.lookup(name);
  return found?.kind === 'refused'
    ? refuse('unknown_tool', `${field}: no call can be of ${name}: ${found.why}`)
    : undefined;
}

const undeclared = (field: string, what: string, name: string, declared: object): string =>
  `${field}: the policy file declares no ${what} ${name}${orNearest(name, Object.keys(declared))}`;
