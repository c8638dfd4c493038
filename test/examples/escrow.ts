/**
 * Plays a small escrow contract for the examples: an order, the money held for it, four flows.
 *
 * The contract computes the possible actions, and why the rest cannot be; policies only choose.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Action, ActionSpace, AgentSnapshot } from '../../shared/policies/index.ts';

type BlockedReason = NonNullable<ActionSpace['blocked_actions']>[number]['reason'];
type VerdictSummary = NonNullable<ActionSpace['current_verdicts']>[number];

type States = Readonly<Record<'Order' | 'Escrow', string>>;
type Facts = Readonly<Record<string, unknown>>;
type Entity = keyof States;

/** A conclusion from facts; a rule of a higher stratum may use verdicts of the lower ones. */
interface VerdictRule {
  readonly id: string;
  readonly verdict: string;
  readonly stratum: number;
  readonly holds: (facts: Facts, verdicts: ReadonlySet<string>) => boolean;
}

const RULES: readonly VerdictRule[] = [
  {
    id: 'carrier-scan',
    verdict: 'delivery_confirmed',
    stratum: 0,
    holds: (facts) => facts['carrier_scan'] === 'delivered',
  },
  { id: 'complaint', verdict: 'complaint_open', stratum: 0, holds: (facts) => facts['complaint'] === true },
  {
    id: 'release',
    verdict: 'release_allowed',
    stratum: 1,
    holds: (_facts, verdicts) => verdicts.has('delivery_confirmed') && !verdicts.has('complaint_open'),
  },
  { id: 'refund', verdict: 'refund_due', stratum: 1, holds: (_facts, verdicts) => verdicts.has('complaint_open') },
];

interface Flow {
  readonly id: string;
  readonly description: string;
  readonly personas: readonly string[];
  /** Per entity: from which state to which. */
  readonly moves: Readonly<Partial<Record<Entity, Readonly<Record<string, string>>>>>;
  readonly facts: readonly string[];
  readonly verdicts: readonly string[];
}

const FLOWS: readonly Flow[] = [
  {
    id: 'update_status',
    description: 'Move the order to its next step',
    personas: ['ops', 'seller'],
    moves: { Order: { pending_standard: 'shipped', pending_large: 'shipped', shipped: 'delivered' } },
    facts: [],
    verdicts: [],
  },
  {
    id: 'release_escrow',
    description: 'Pay the seller',
    personas: ['ops'],
    moves: { Order: { delivered: 'closed' }, Escrow: { held: 'released' } },
    facts: ['carrier_scan'],
    verdicts: ['release_allowed'],
  },
  {
    id: 'cancel_order',
    description: 'Cancel the order and give the money back',
    personas: ['ops'],
    moves: { Order: { pending_standard: 'cancelled', pending_large: 'cancelled' }, Escrow: { held: 'refunded' } },
    facts: [],
    verdicts: [],
  },
  {
    id: 'issue_refund',
    description: 'Give the money back after a complaint',
    personas: ['ops'],
    moves: { Order: { delivered: 'closed' }, Escrow: { held: 'refunded' } },
    facts: [],
    verdicts: ['refund_due'],
  },
];

export class EscrowContract {
  /** Flows that were executed, in order. */
  readonly history: string[] = [];
  #states: States;
  #facts: Facts;
  readonly #now: () => string;

  constructor(states: States, facts: Facts, now: () => string = () => new Date().toISOString()) {
    this.#states = states;
    this.#facts = facts;
    this.#now = now;
  }

  get states(): States {
    return this.#states;
  }

  /** News from outside: a scan of the carrier, a complaint. */
  observe(facts: Facts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  snapshot(): AgentSnapshot {
    return { facts: { ...this.#facts }, entity_states: { ...this.#states }, observed_at: this.#now() };
  }

  actionSpace(persona: string): ActionSpace {
    const verdicts = this.#verdicts();
    const space = { persona_id: persona, actions: [] as Action[], current_verdicts: verdicts };
    const blocked_actions: NonNullable<ActionSpace['blocked_actions']> = [];
    for (const flow of FLOWS) {
      const reason = this.#blocks(flow, persona, verdicts);
      if (reason) blocked_actions.push({ flow_id: flow.id, reason, instance_bindings: {} });
      else space.actions.push(this.#action(flow, persona, verdicts));
    }
    return { ...space, blocked_actions };
  }

  /** Executes an action of the current space; refuses any other. */
  async execute(action: Action): Promise<void> {
    const flow = FLOWS.find(({ id }) => id === action.flow_id);
    const offered = this.actionSpace(action.persona_id).actions.some((one) => isDeepStrictEqual(one, action));
    if (!flow || !offered) throw new Error(`${action.flow_id} cannot be executed now`);
    const next = { ...this.#states };
    for (const [entity, move] of movesOf(flow)) next[entity] = move[next[entity]] ?? next[entity];
    this.#states = next;
    this.history.push(flow.id);
  }

  #verdicts(): VerdictSummary[] {
    const names = new Set<string>();
    return RULES.flatMap(({ id, verdict, stratum, holds }) => {
      if (!holds(this.#facts, names)) return [];
      names.add(verdict);
      return [{ verdict_type: verdict, payload: {}, producing_rule: id, stratum }];
    });
  }

  #blocks(flow: Flow, persona: string, verdicts: readonly VerdictSummary[]): BlockedReason | undefined {
    if (!flow.personas.includes(persona)) return { type: 'PersonaNotAuthorized' };
    for (const [entity_id, move] of movesOf(flow)) {
      const current_state = this.#states[entity_id];
      if (!Object.hasOwn(move, current_state)) {
        return {
          type: 'EntityNotInSourceState',
          entity_id,
          current_state,
          required_state: Object.keys(move).join(' or '),
        };
      }
    }
    const fact_ids = flow.facts.filter((fact) => !Object.hasOwn(this.#facts, fact));
    if (fact_ids.length > 0) return { type: 'MissingFacts', fact_ids };
    const missing_verdicts = flow.verdicts.filter(
      (name) => !verdicts.some(({ verdict_type }) => verdict_type === name),
    );
    return missing_verdicts.length > 0 ? { type: 'PreconditionNotMet', missing_verdicts } : undefined;
  }

  #action(flow: Flow, persona: string, verdicts: readonly VerdictSummary[]): Action {
    return {
      flow_id: flow.id,
      persona_id: persona,
      entry_operation_id: `${flow.id}.start`,
      enabling_verdicts: verdicts.filter(({ verdict_type }) => flow.verdicts.includes(verdict_type)),
      affected_entities: movesOf(flow).map(([entity_id, move]) => {
        const current_state = this.#states[entity_id];
        return { entity_id, current_state, possible_transitions: [move[current_state] ?? current_state] };
      }),
      description: flow.description,
      instance_bindings: {},
    };
  }
}

const movesOf = (flow: Flow): [Entity, Readonly<Record<string, string>>][] =>
  Object.entries(flow.moves) as [Entity, Readonly<Record<string, string>>][];
