/** Declares the changes of rules, with what came of each. */
import { CountersignError, InvalidSettingError } from '../../domain/errors.ts';
import { anyText, type Check, checkedElsewhere, objectOf, texts } from '../../domain/settings.ts';
import { nearestSpelling } from '../../domain/text/nearest.ts';
import type { Mode, RuleInput } from '../model/types.ts';

/** The author of a change: only the deployment's policy file holds managed rules. */
export type RuleAuthor = 'deployment' | 'user';

/** A change of rules or of the mode, in the spelling of the seed. */
export type RuleUpdate =
  | {
      readonly AddRule: {
        readonly matcher: string;
        /** `deny`, `ask` or `allow`; anything else is refused. */
        readonly behavior: string;
        /** As the policy file or the contract spells it; an unknown one is dropped. */
        readonly source: string;
        readonly description?: string | undefined;
        readonly reason?: string | undefined;
        readonly suggestions?: readonly string[] | undefined;
      };
    }
  | { readonly RemoveRule: { readonly matcher: string } }
  | { readonly SetMode: { readonly mode: string } };

/** Whether a change of rules was made, and if not why. */
export type RuleUpdateResult =
  | { readonly kind: 'added'; readonly rule: RuleInput }
  | { readonly kind: 'removed'; readonly count: number; readonly kept: number }
  | { readonly kind: 'mode'; readonly mode: Mode }
  /** A rule that a message may not add is dropped and reported. */
  | { readonly kind: 'dropped'; readonly why: string };

/** A change of rules that cannot be made; `code` is stable and the message names the field. */
export class RuleUpdateError extends CountersignError {
  readonly suggestion: string | undefined;
  constructor(code: string, message: string, suggestion?: string) {
    super(code, suggestion === undefined ? message : `${message} Did you mean ${suggestion}?`);
    this.name = 'RuleUpdateError';
    this.suggestion = suggestion;
  }
}

type Named<Name extends string> = Extract<RuleUpdate, Record<Name, unknown>>[Name];

/** Each kind of update with its fields. */
const UPDATES: Readonly<Record<string, Check>> = {
  AddRule: objectOf<Named<'AddRule'>>({
    matcher: checkedElsewhere,
    behavior: checkedElsewhere,
    source: checkedElsewhere,
    description: anyText,
    reason: anyText,
    suggestions: texts,
  }),
  RemoveRule: objectOf<Named<'RemoveRule'>>({ matcher: anyText }, ['matcher']),
  SetMode: objectOf<Named<'SetMode'>>({ mode: checkedElsewhere }),
};

/** An update is of one kind, and every field of it is known: an end date that nobody reads would let a rule live for ever. @throws RuleUpdateError */
export function checkUpdate(update: unknown): void {
  const [[kind = '', fields] = [], ...others] = Object.entries(update ?? {});
  const check = Object.hasOwn(UPDATES, kind) ? UPDATES[kind] : undefined;
  if (!check || others.length > 0)
    throw new RuleUpdateError('unknown_update', `An update is one of ${Object.keys(UPDATES).join(', ')}.`);
  checkChange(check, fields, kind);
}

/** @throws RuleUpdateError that names the field */
export function checkChange(check: Check, value: unknown, name: string): void {
  try {
    check(value, name);
  } catch (error) {
    throw error instanceof InvalidSettingError ? new RuleUpdateError('invalid_field', error.message) : error;
  }
}

const EFFECTS = ['deny', 'ask', 'allow'] as const;

/** @throws RuleUpdateError */
export function effectOf(behavior: string): RuleInput['effect'] {
  const lower = behavior.toLowerCase();
  const effect = EFFECTS.find(
    (each) => each === lower && (behavior === each || behavior === `${each[0]?.toUpperCase()}${each.slice(1)}`),
  );
  if (effect === undefined) {
    throw new RuleUpdateError(
      'unknown_effect',
      'The behaviour of a rule is deny, ask or allow.',
      nearestSpelling(behavior, EFFECTS),
    );
  }
  return effect;
}
