/** Measures how much of a name a glob's literal part spells: nothing, a little, or all. */
import { type GlobToken, matchesTokens, tokensMeet } from '../text/glob.ts';

/** One segment of a glob word, folded. */
export interface GlobSegment {
  readonly tokens: readonly GlobToken[];
  /** The name that it is, where nothing in it is a wildcard. */
  readonly text: string | undefined;
  /** `**` stands for any number of folders; `program`: a program reads it so, a shell as `*` unless it is told to. */
  readonly deep: 'no' | 'shell' | 'program';
  /** A wildcard at its start may stand for a dot: the program reads it so, or its value is not known. */
  readonly mayHide: boolean;
}

/**
 * `none`: it matches no such name. `bare`: it may match, as it matches most names. `some`: it may match, and a letter of it
 * is one of the name. `named`: it says the name. `dotted`: the same, with the name's leading dot. `any`: so would every name.
 */
export type Strength = 'none' | 'bare' | 'some' | 'named' | 'dotted' | 'any';

/** Facts of a name that hold for every glob. */
export interface NameShape {
  readonly tokens: readonly GlobToken[];
  readonly text: string | undefined;
  readonly dotted: boolean;
  /** The weight of each character that a literal meets: none in an extension, which many names share. */
  readonly weights: readonly number[];
  /** So many characters say the name. */
  readonly needed: number;
  /** `*` and its like. */
  readonly isAny: boolean;
}

/** `id_r*`: three letters of a name say it. */
const SAYS_NAME = 3;
/** More tokens than any name of interest has characters: what follows cannot matter to it. */
const MAX_TOKENS = 64;
/** A class of so few characters says as much as a letter: `[i]d_rsa`, `[Ii]d_rsa`. */
const MAX_CHOICES = 4;
/** A score is letters in steps of this, and other characters in steps of one. */
const LETTER = 1000;

function isLetter(char: string): boolean {
  return char.toLowerCase() !== char.toUpperCase() || (char >= '0' && char <= '9');
}

function weightOf(token: GlobToken): number {
  if (token.kind !== 'char' || token.char === '.') return 0;
  return isLetter(token.char) ? LETTER : 1;
}

const charactersOf = (score: number): number => Math.floor(score / LETTER) + (score % LETTER);
const isDot = (token: GlobToken | undefined): boolean => token?.kind === 'char' && token.char === '.';

function literalText(tokens: readonly GlobToken[]): string | undefined {
  let text = '';
  for (const token of tokens) {
    if (token.kind !== 'char') return undefined;
    text += token.char;
  }
  return text;
}

/** @param tokens folded */
export function shapeOf(tokens: readonly GlobToken[]): NameShape {
  const weights = tokens.map(weightOf);
  const dot = tokens.findIndex((token, at) => at > 0 && isDot(token));
  const hasStem = dot > 0 && weights.slice(0, dot).some((weight) => weight > 0);
  const counted = hasStem ? weights.map((weight, at) => (at < dot ? weight : 0)) : weights;
  const total = charactersOf(counted.reduce((sum, weight) => sum + weight, 0));
  return {
    tokens,
    text: literalText(tokens),
    dotted: isDot(tokens[0]),
    weights: counted,
    needed: Math.min(SAYS_NAME, total),
    isAny: tokens.every((token) => token.kind === 'run' || token.kind === 'one'),
  };
}

/** A letter, or a class of a few. */
function isSpelt(token: GlobToken): boolean {
  if (token.kind === 'char') return true;
  if (token.kind !== 'set' || token.negated) return false;
  const choices = token.ranges.reduce(
    (sum, [low, high]) => sum + Math.max(0, (high.codePointAt(0) ?? 0) - (low.codePointAt(0) ?? 0)) + 1,
    0,
  );
  return choices <= MAX_CHOICES;
}

/**
 * The most that the glob's letters spell of the name in any text that both match; `undefined` where there is none.
 * With `dotSpelt` the name's leading dot has to be met by a dot.
 */
function spelling(glob: readonly GlobToken[], shape: NameShape, dotSpelt: boolean): number | undefined {
  const { length } = shape.tokens;
  let reach = new Array<number>(length + 1).fill(-1);
  let next = new Array<number>(length + 1).fill(-1);
  reach[0] = 0;
  for (const token of glob) {
    if (token.kind === 'run') passRun(shape, reach, next, dotSpelt);
    else passOne(token, shape, reach, next, dotSpelt);
    [reach, next] = [next, reach];
    next.fill(-1);
  }
  passEnd(shape, reach);
  const best = reach[length] as number;
  return best < 0 ? undefined : best;
}

/** Moves the scores past a run of the glob, which meets any part of the name. */
function passRun({ tokens: name }: NameShape, reach: number[], next: number[], dotSpelt: boolean): void {
  for (let at = 0; at <= name.length; at++) {
    const score = reach[at] as number;
    if (score < 0) continue;
    raise(next, at, score);
    const right = name[at];
    if (right?.kind === 'run' || (right !== undefined && !(dotSpelt && at === 0))) raise(reach, at + 1, score);
  }
}

/** Moves the scores past a token of the glob that meets one character of the name. */
function passOne(left: GlobToken, shape: NameShape, reach: number[], next: number[], dotSpelt: boolean): void {
  const { tokens: name, weights } = shape;
  for (let at = 0; at < name.length; at++) {
    const score = reach[at] as number;
    if (score < 0) continue;
    const right = name[at] as GlobToken;
    if (right.kind === 'run') {
      raise(reach, at + 1, score);
      raise(next, at, score);
    } else if (!(dotSpelt && at === 0 && !isDot(left)) && tokensMeet(left, right)) {
      raise(next, at + 1, score + (isSpelt(left) ? (weights[at] as number) : 0));
    }
  }
}

/** Behind the glob only runs of the name may follow, which match nothing. */
function passEnd({ tokens: name }: NameShape, reach: number[]): void {
  for (let at = 0; at < name.length; at++) if (name[at]?.kind === 'run') raise(reach, at + 1, reach[at] as number);
}

function raise(row: number[], at: number, score: number): void {
  if (score > (row[at] as number)) row[at] = score;
}

/** Whether the literal ends of both rule a common text out; most names end here. */
function differs(glob: readonly GlobToken[], name: readonly GlobToken[]): boolean {
  const shorter = Math.min(glob.length, name.length);
  let apart: boolean | undefined = false;
  for (let at = 0; at < shorter && apart === false; at++) apart = isApart(glob[at], name[at]);
  if (apart === true) return true;
  apart = false;
  for (let at = 1; at <= shorter && apart === false; at++)
    apart = isApart(glob[glob.length - at], name[name.length - at]);
  return apart === true;
}

/** Undefined where one of them is no literal character. */
const isApart = (a: GlobToken | undefined, b: GlobToken | undefined): boolean | undefined =>
  a?.kind === 'char' && b?.kind === 'char' ? a.char !== b.char : undefined;

function strengthOfDotted(segment: GlobSegment, shape: NameShape): Strength {
  const { tokens } = segment;
  if (isDot(tokens[0])) {
    const score = spelling(tokens, shape, true);
    if (score === undefined) return 'none';
    // `.*` is no more than a dot.
    return score >= LETTER ? 'dotted' : 'some';
  }
  if (!segment.mayHide) return 'none';
  const spelt = spelling(tokens, shape, true);
  if (spelt !== undefined && spelt >= LETTER && charactersOf(spelt) >= shape.needed) return 'dotted';
  const hidden = spelling(tokens, shape, false);
  if (hidden === undefined) return 'none';
  return hidden >= LETTER || isFixed(segment, shape) ? 'some' : 'bare';
}

/** `??????` matches few names, and this is one. */
function isFixed({ tokens }: GlobSegment, shape: NameShape): boolean {
  return shape.text !== undefined && tokens.every((token) => token.kind !== 'run');
}

function strengthOfMixed(segment: GlobSegment, shape: NameShape): Strength {
  if (differs(segment.tokens, shape.tokens)) return 'none';
  if (shape.dotted) return strengthOfDotted(segment, shape);
  const score = spelling(segment.tokens, shape, false);
  if (score === undefined) return 'none';
  if (shape.isAny) return 'any';
  if (score >= LETTER && charactersOf(score) >= shape.needed) return 'named';
  return score >= LETTER || isFixed(segment, shape) ? 'some' : 'bare';
}

/** Weighs one segment of a glob against one name. */
export function strengthOf(segment: GlobSegment, shape: NameShape): Strength {
  if (segment.text !== undefined) {
    const matches = shape.text === undefined ? matchesTokens(shape.tokens, segment.text) : shape.text === segment.text;
    if (!matches) return 'none';
    return shape.isAny ? 'any' : shape.dotted ? 'dotted' : 'named';
  }
  if (segment.deep !== 'no' || isStar(segment)) {
    if (shape.isAny) return 'any';
    return shape.dotted && !segment.mayHide ? 'none' : 'bare';
  }
  return strengthOfMixed(segment, shape);
}

const isStar = ({ tokens }: GlobSegment): boolean => tokens.length === 1 && tokens[0]?.kind === 'run';

/** Whether the segment can be this one name. */
export function canBe(segment: GlobSegment, name: string): boolean {
  if (segment.text !== undefined) return segment.text === name;
  if (name.startsWith('.') && !isDot(segment.tokens[0]) && !segment.mayHide) return false;
  return matchesTokens(segment.tokens, name);
}

/** A letter before its extension: `k*`, `key`, `a*.ts`, and neither `*` nor `*.ts`. */
export function spellsSomething({ tokens }: GlobSegment): boolean {
  for (const [at, token] of tokens.entries()) {
    if (at > 0 && isDot(token)) return false;
    if (weightOf(token) >= LETTER || (token.kind === 'set' && isSpelt(token))) return true;
  }
  return false;
}

export function segmentOf(given: readonly GlobToken[], isUnknown: boolean): GlobSegment {
  const text = literalText(given);
  const isLong = text === undefined && given.length > MAX_TOKENS;
  const tokens = isLong ? [...given.slice(0, MAX_TOKENS), { kind: 'run' as const }] : given;
  const [first] = tokens;
  const marked = first !== undefined && first.kind !== 'char' && first.hidden === true;
  const isDeep = tokens.length >= 2 && tokens.every((token) => token.kind === 'run');
  return {
    tokens,
    text,
    deep: !isDeep ? 'no' : marked ? 'program' : 'shell',
    mayHide: marked || (isUnknown && first?.kind !== 'char'),
  };
}

/** The segment of a folder that is known. */
export function literalSegment(text: string): GlobSegment {
  return { tokens: Array.from(text, (char) => ({ kind: 'char', char })), text, deep: 'no', mayHide: false };
}

/**
 * Whether a glob with a `*` spells none of the name but letters of its first word, given the shape in which these weigh nothing.
 * The glob can be the name.
 */
export const saysFirstWord = (segment: GlobSegment, others: NameShape): boolean =>
  !isFixed(segment, others) && spelling(segment.tokens, others, false) === 0;

/** `**`: any number of folders. */
export const isDeep = (segment: GlobSegment | undefined): boolean => segment !== undefined && segment.deep !== 'no';

/** `.?` and `..*` are `..` as well to dash, to busybox, to bash before 5.2 and to programs that call glob(3), such as Perl. */
export const mayBeParent = ({ tokens, text }: GlobSegment): boolean =>
  text === undefined && isDot(tokens[0]) && matchesTokens(tokens, '..');

/** Any folders, of which nothing is known. */
export const ANY_FOLDERS: GlobSegment = {
  tokens: [{ kind: 'run' }, { kind: 'run' }],
  text: undefined,
  deep: 'shell',
  mayHide: true,
};
