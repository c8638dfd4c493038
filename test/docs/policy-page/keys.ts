/**
 * Reads the keys of countersign.yaml out of its schema.
 *
 * Each key has its path, type, bounds, default and description.
 */
import ms from 'ms';
import * as z from 'zod';
import { policySchema } from '../../../shared/config/schema/policy-file.ts';

export interface Node {
  readonly type?: string;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node | readonly Node[];
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly allOf?: readonly Node[];
  readonly $ref?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Key {
  /** `agents.<name>.rate.burst`; an element of a list is `[]`. */
  readonly path: string;
  readonly node: Node;
  readonly isRequired: boolean;
}

/** The schema with the defaults that zod leaves out behind a transformation; a duration is put back as people write it. */
export function policyFileSchema(): Node & { readonly definitions?: Readonly<Record<string, Node>> } {
  return z.toJSONSchema(policySchema, {
    io: 'input',
    target: 'draft-7',
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod as unknown as {
        readonly def: { readonly type: string; readonly defaultValue?: unknown };
      };
      if (def.type !== 'default' || jsonSchema.default !== undefined) return;
      jsonSchema.default = typeof def.defaultValue === 'number' ? ms(def.defaultValue) : def.defaultValue;
    },
  }) as Node;
}

/** The objects among the forms of a node. */
const objectsOf = (node: Node): readonly Node[] =>
  [node, ...(node.anyOf ?? [])].filter(({ properties }) => properties !== undefined);

/** The parts of a value that have keys of their own, and how their paths go on. */
function partsOf(node: Node): readonly (readonly [string, Node])[] {
  const objects = objectsOf(node);
  if (objects.length > 0) return objects.map((object) => ['', object]);
  if (typeof node.additionalProperties === 'object') return [['.<name>', node.additionalProperties]];
  if (node.items && !Array.isArray(node.items)) return [['[]', node.items as Node]];
  return [];
}

/** Every key below a node, in the order of the schema. */
export function keysBelow(path: string, node: Node): readonly Key[] {
  return partsOf(node).flatMap(([step, part]) => {
    const at = `${path}${step}`;
    if (!part.properties) return keysBelow(at, part);
    return Object.entries(part.properties).flatMap(([name, child]) => {
      const key = {
        path: at === '' ? name : `${at}.${name}`,
        node: child,
        isRequired: part.required?.includes(name) ?? false,
      };
      return [key, ...keysBelow(key.path, child)];
    });
  });
}
