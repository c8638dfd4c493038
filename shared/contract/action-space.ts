/**
 * Declares an action choice in the JSON form of Tenor: one schema per word.
 *
 * Fields that an engine may leave out are optional, so that a value comes back from JSON exactly as it went in.
 */
import * as z from 'zod';
import { instant, jsonObject } from './primitives.ts';

const id = z.string().min(1, 'must not be empty');

/** A verdict that holds now, by the rule that produced it. */
export const verdictSummary = z.strictObject({
  verdict_type: id,
  payload: z.unknown(),
  producing_rule: id,
  stratum: z.int().min(0).max(0xffff_ffff),
});

/** An entity and where it can go from its state. */
export const entitySummary = z.strictObject({
  entity_id: id,
  current_state: z.string(),
  possible_transitions: z.array(z.string()),
});

/** Entity id to the instances that are meant; a set, so none stands there twice. */
const instanceBindings = z.record(
  z.string(),
  z.array(z.string()).refine((ids) => new Set(ids).size === ids.length, 'names an instance twice'),
);

/** One action that can be executed now. */
export const action = z.strictObject({
  flow_id: id,
  persona_id: id,
  entry_operation_id: z.string().optional(),
  enabling_verdicts: z.array(verdictSummary).optional(),
  affected_entities: z.array(entitySummary).optional(),
  description: z.string().optional(),
  instance_bindings: instanceBindings.optional(),
});
/** One thing that an agent may do now: a flow of the contract, for a persona, with the entities that it changes. */
export type Action = z.infer<typeof action>;

/** Why an action cannot be executed. */
export const blockedReason = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('PersonaNotAuthorized') }),
  z.strictObject({ type: z.literal('PreconditionNotMet'), missing_verdicts: z.array(z.string()) }),
  z.strictObject({
    type: z.literal('EntityNotInSourceState'),
    entity_id: id,
    current_state: z.string(),
    required_state: z.string(),
  }),
  z.strictObject({ type: z.literal('MissingFacts'), fact_ids: z.array(z.string()) }),
]);

/** An action that cannot be executed, and why. */
export const blockedAction = z.strictObject({
  flow_id: id,
  reason: blockedReason,
  instance_bindings: instanceBindings.optional(),
});

/** Every action in it can be executed now. */
export const actionSpace = z.strictObject({
  persona_id: id,
  actions: z.array(action),
  current_verdicts: z.array(verdictSummary).optional(),
  blocked_actions: z.array(blockedAction).optional(),
});
/** All that an agent may do now, for one persona. A policy chooses one of its `actions`, and never anything else. */
export type ActionSpace = z.infer<typeof actionSpace>;

/** The world as it was observed: facts, states of entities, and when. */
export const agentSnapshot = z.strictObject({
  facts: jsonObject,
  entity_states: z.record(z.string(), z.string()),
  observed_at: instant,
});
/** The facts that a choice is made on: entities with their states, and what the contract says of them. */
export type AgentSnapshot = z.infer<typeof agentSnapshot>;
