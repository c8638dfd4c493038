/**
 * Declares an action choice in the JSON form of Tenor: one schema and its inferred type per word. Fields that an engine may leave out are optional,
 * so that a value comes back from JSON exactly as it went in.
 */
import * as z from 'zod';
import { instant, jsonObject } from './primitives.ts';

const id = z.string().min(1, 'must not be empty');

/** A verdict that holds now, by the rule that produced it (R0-011). */
export const verdictSummary = z.strictObject({
  verdict_type: id,
  payload: z.unknown(),
  producing_rule: id,
  stratum: z.int().min(0).max(0xffff_ffff),
});
export type VerdictSummary = z.infer<typeof verdictSummary>;

/** An entity and where it can go from its state (R0-012). */
export const entitySummary = z.strictObject({
  entity_id: id,
  current_state: z.string(),
  possible_transitions: z.array(z.string()),
});
export type EntitySummary = z.infer<typeof entitySummary>;

/** Entity id to the instances that are meant; a set, so none stands there twice. */
const instanceBindings = z.record(
  z.string(),
  z.array(z.string()).refine((ids) => new Set(ids).size === ids.length, 'names an instance twice'),
);

/** One action that can be executed now (R0-010). */
export const action = z.strictObject({
  flow_id: id,
  persona_id: id,
  entry_operation_id: z.string().optional(),
  enabling_verdicts: z.array(verdictSummary).optional(),
  affected_entities: z.array(entitySummary).optional(),
  description: z.string().optional(),
  instance_bindings: instanceBindings.optional(),
});
export type Action = z.infer<typeof action>;

/** Why an action cannot be executed (R0-015). */
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
export type BlockedReason = z.infer<typeof blockedReason>;

/** An action that cannot be executed, and why (R0-014). */
export const blockedAction = z.strictObject({
  flow_id: id,
  reason: blockedReason,
  instance_bindings: instanceBindings.optional(),
});
export type BlockedAction = z.infer<typeof blockedAction>;

/** Every action in it can be executed now. */
export const actionSpace = z.strictObject({
  persona_id: id,
  actions: z.array(action),
  current_verdicts: z.array(verdictSummary).optional(),
  blocked_actions: z.array(blockedAction).optional(),
});
export type ActionSpace = z.infer<typeof actionSpace>;

/** The world as it was observed: facts, states of entities, and when. */
export const agentSnapshot = z.strictObject({
  facts: jsonObject,
  entity_states: z.record(z.string(), z.string()),
  observed_at: instant,
});
export type AgentSnapshot = z.infer<typeof agentSnapshot>;
