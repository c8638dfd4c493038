/** Finds the path rules that a glob names or may name without comparing it with each rule. */
import { GlobKeys } from '../paths/glob-keys.ts';
import { canReach, type GlobMatch, matchPattern } from '../paths/glob-match.ts';
import type { GlobPath } from '../paths/glob-path.ts';
import type { GlobSegment } from '../paths/glob-strength.ts';
import type { PathContext } from '../paths/normalise.ts';
import type { PathPattern, PatternSegment } from '../paths/pattern.ts';
import type { GlobToken } from '../text/glob.ts';
import type { CompiledRule } from './compiled-rule.ts';

interface GlobRule {
  readonly rule: CompiledRule;
  readonly match: GlobMatch;
}

/** Rules that differ in one name only: `Read(docs/a/**)`, `Read(docs/b/**)` and so on. */
interface Family {
  readonly members: Member[];
  /** The same pattern with a name that no glob spells: a `*` meets all such names alike. */
  readonly unmet: PathPattern;
  /** The same pattern with any name: a glob that cannot reach it reaches no member. */
  readonly open: PathPattern;
}

interface Member {
  readonly rule: CompiledRule;
  readonly pattern: PathPattern;
  readonly key: string;
  /** The order in which matches are told. */
  readonly position: number;
  readonly family: Family;
}

/** No path holds it: a call with a NUL is refused. */
const UNSPELT = '\0';
/** A family of so few members is not looked at as a whole first. */
const SMALL_FAMILY = 4;

const charToken = (char: string): GlobToken => ({ kind: 'char', char });
const nameSegment = (tokens: readonly GlobToken[], text: string | undefined): PatternSegment => {
  const name = { tokens, text };
  return { kind: 'name', exact: name, folded: name };
};

/** Two runs are no bare `*`, which would count as all that is in the folder before it. */
const ANY_NAME = nameSegment([{ kind: 'run' }, { kind: 'run' }], undefined);

/** Only a leading dot and an extension make a difference to a glob that spells nothing of the name. */
function unspelt(key: string): string {
  return `${key.startsWith('.') ? '.' : ''}${UNSPELT}${key.indexOf('.', 1) > 0 ? `.${UNSPELT}` : ''}`;
}

const tokenText = (token: GlobToken): string =>
  token.kind === 'char' ? `'${token.char}` : token.kind === 'set' ? JSON.stringify(token) : token.kind;

function segmentText(segment: PatternSegment): string {
  if (segment.kind !== 'name') return segment.kind;
  const { text, tokens } = segment.folded;
  return text === undefined ? `?${tokens.map(tokenText).join('')}` : `=${text}`;
}

/** The segment that is the rule's key. */
const keySegment = ({ segments }: PathPattern, key: string): number =>
  segments.findIndex((segment) => segment.kind === 'name' && segment.folded.text === key);

/** `*` and `**`: every name is the same to them, but for a leading dot. */
const isBare = ({ text, tokens }: GlobSegment): boolean =>
  text === undefined && tokens.every(({ kind }) => kind === 'run');

/** Rules of one bucket, by a literal name of each. */
export class GlobIndex {
  readonly #always: readonly CompiledRule[];
  readonly #keys: GlobKeys;
  readonly #byKey = new Map<string, Member[]>();
  readonly #families = new Map<string, Family>();
  /** Several stages ask about one glob. */
  readonly #met = new WeakMap<GlobPath, readonly Met[]>();

  constructor(always: readonly CompiledRule[], byKey: ReadonlyMap<string, readonly CompiledRule[]>) {
    this.#always = always;
    this.#keys = new GlobKeys(byKey.keys());
    let position = 0;
    for (const [key, rules] of byKey) {
      const members: Member[] = [];
      for (const rule of rules) {
        if (rule.parsed.kind !== 'path') continue;
        const pattern = rule.parsed.path;
        const family = this.#familyOf(pattern, key);
        const member = { rule, pattern, key, position, family };
        family.members.push(member);
        members.push(member);
        position += 1;
      }
      this.#byKey.set(key, members);
    }
  }

  #familyOf(pattern: PathPattern, key: string): Family {
    const at = keySegment(pattern, key);
    const name = unspelt(key);
    const texts = pattern.segments.map((segment, index) => (index === at ? name : segmentText(segment)));
    const text = `${pattern.anchor}${pattern.below ? '/' : ''} ${texts.join('/')}`;
    let family = this.#families.get(text);
    if (family === undefined) {
      const tokens = Array.from(name, charToken);
      family = {
        members: [],
        unmet: { ...pattern, segments: pattern.segments.with(at, nameSegment(tokens, name)) },
        open: { ...pattern, segments: pattern.segments.with(at, ANY_NAME) },
      };
      this.#families.set(text, family);
    }
    return family;
  }

  /** Rules that the glob names for certain. */
  *certain(glob: GlobPath, context: PathContext): Generator<CompiledRule> {
    for (const { rule, match } of this.#matchAlways(glob, context)) if (match === 'certain') yield rule;
    // A rule that is met by a bare `*` only is not named for certain.
    for (const { member, match } of this.#metBy(glob, context)) if (match === 'certain') yield member.rule;
  }

  /** Rules that the glob names, or only may name; found as they are asked for. */
  *matches(glob: GlobPath, context: PathContext): Generator<GlobRule> {
    yield* this.#matchAlways(glob, context);
    const met = this.#metBy(glob, context);
    if (!glob.segments.some(isBare)) {
      for (const { member, match } of met) yield { rule: member.rule, match };
      return;
    }
    const keys = this.#keysMet(glob);
    const rows: { readonly match: GlobMatch | undefined; readonly members: readonly Member[]; at: number }[] = [];
    for (const { unmet, members } of this.#families.values()) {
      const match = matchPattern(unmet, glob, context);
      if (match !== undefined) rows.push({ match, members, at: 0 });
    }
    let next = 0;
    for (;;) {
      let first = met[next]?.member;
      let row: (typeof rows)[number] | undefined;
      for (const each of rows) {
        while (each.at < each.members.length && keys.has((each.members[each.at] as Member).key)) each.at++;
        const member = each.members[each.at];
        if (member === undefined || (first !== undefined && first.position < member.position)) continue;
        first = member;
        row = each;
      }
      if (first === undefined) return;
      if (row === undefined) yield { rule: first.rule, match: (met[next++] as Met).match };
      else {
        row.at += 1;
        yield { rule: first.rule, match: row.match as GlobMatch };
      }
    }
  }

  *#matchAlways(glob: GlobPath, context: PathContext): Generator<GlobRule> {
    for (const rule of this.#always) {
      const match = rule.parsed.kind === 'path' ? matchPattern(rule.parsed.path, glob, context) : undefined;
      if (match !== undefined) yield { rule, match };
    }
  }

  /** Keys that the glob spells some of. */
  #keysMet({ segments }: GlobPath): ReadonlySet<string> {
    return this.#keys.meeting(segments.some(isBare) ? segments.filter((segment) => !isBare(segment)) : segments);
  }

  /** Rules whose key the glob spells some of, and which match. */
  #metBy(glob: GlobPath, context: PathContext): readonly Met[] {
    const known = this.#met.get(glob);
    if (known !== undefined) return known;
    const met: Met[] = [];
    const reached = new Map<Family, boolean>();
    for (const key of this.#keysMet(glob)) {
      for (const member of this.#byKey.get(key) ?? NO_MEMBERS) {
        const { family, pattern } = member;
        if (family.members.length > SMALL_FAMILY) {
          let isReached = reached.get(family);
          if (isReached === undefined) {
            isReached = canReach(family.open, glob, context);
            reached.set(family, isReached);
          }
          if (!isReached) continue;
        }
        const match = matchPattern(pattern, glob, context);
        if (match !== undefined) met.push({ member, match });
      }
    }
    if (met.length > 1 && glob.segments.some(isBare)) met.sort((a, b) => a.member.position - b.member.position);
    this.#met.set(glob, met);
    return met;
  }
}

interface Met {
  readonly member: Member;
  readonly match: GlobMatch;
}

const NO_MEMBERS: readonly Member[] = [];
