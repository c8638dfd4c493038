/** Draws one call on a card: all of it, or its two ends and how much is between them. */
import type { RichTextBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import type { AskedCall, ToolCall } from '../../../contract/index.ts';
import { IMPACT_VERB } from '../../../domain/approval/impact-verb.ts';
import { askedCallOf } from '../../../domain/proposal/asked-call.ts';
import { markersIn } from '../../../domain/redaction/text/marker.ts';
import { isHighSeverity } from '../../../domain/severity.ts';
import { ruleAsks } from '../../../domain/text/sentence.ts';
import { argumentsOf, labelOf, type Shown, sizeText, wholeCharacter } from '../elements/arguments.ts';
import { words } from '../elements/blocks.ts';
import { mixedWords, shortened, visible, visibleLine, visibleName } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import { type CardSource, subjectOf } from './card-source.ts';
import { changeOf } from './edit-change.ts';

/** How much of each text is shown. */
export interface Room {
  /** Characters of one argument. */
  readonly argument: number;
  readonly why: number;
  /** So many reasons, and so many notes; default: all. The card states how many it leaves out. */
  readonly parts?: number;
}

/** From this many lines on, the card states how many lines an argument has: text after many lines is easily overlooked. */
const MANY_LINES = 10;
/** So many blanks in a line, and lines of nothing else, look like the end of the text. An indentation is shorter. */
const MANY_BLANKS = 60;
const MANY_EMPTY_LINES = 6;
/** The end of an argument that is too long is shown too: the part that matters may be put there. */
const TAIL = 1 / 3;

type Names = Pick<CardSource, 'names'>;

export const argumentsShown = (call: ToolCall, source: Names): Shown[] =>
  argumentsOf(call, subjectOf(call.toolName, source));

/** Whether every character of the call has its place within `room`. */
export const fits = (call: ToolCall | undefined, room: Room, source: Names): boolean =>
  call !== undefined &&
  [...argumentsShown(call, source).map(({ text }) => text), visibleLine(call.cwd ?? '')].every(
    (text) => text.length <= room.argument,
  );

/** The tool, where it would run, and its arguments. `before` and `after` stand around the tool, as the number of a call and how it stands. */
export function callElements(
  { toolName }: AskedCall,
  call: ToolCall | undefined,
  source: Names,
  room: Room,
  before: readonly RichTextElement[],
  after: readonly RichTextElement[],
): RichTextBlockElement[] {
  const folder = call?.cwd === undefined ? undefined : shortened(visibleLine(call.cwd), room.argument) || ' ';
  const where: RichTextElement[] = folder === undefined ? [] : [plain(CARD.in), code(folder)];
  const headline = words([...before, bold(visibleName(toolName)), ...where, ...after]);
  const differs = differsElements(call);
  const shown = (call ? argumentsShown(call, source) : []).flatMap((one) => [
    ...(one.name === 'old_string' ? differs : []),
    ...argumentElements(one, room),
  ]);
  return [headline, ...shown];
}

/** The one place where the two texts of an edit differ; it stands before the old one. */
export function differsElements(call: ToolCall | undefined): RichTextBlockElement[] {
  const change = changeOf(call?.input);
  return change ? [words([aside(CARD.differs(change.line))]), preformatted(change.text)] : [];
}

/** An argument under its name: all of it, or its two ends. */
export function argumentElements(shown: Shown, { argument: most }: Room): RichTextBlockElement[] {
  const { name, text, raw, isSaid } = shown;
  // Without a label a command that begins like JSON would look like all arguments of another call.
  const isPlain = name === undefined || (name === 'command' && !text.trimStart().startsWith('{'));
  const label = isPlain && !isSaid ? [] : [words([isSaid ? bold(labelOf(shown)) : code(labelOf(shown))])];
  if (text.length <= most) {
    const lines = raw.split('\n').length;
    const gap = gapIn(raw);
    const asides = [...(lines < MANY_LINES ? [] : [CARD.lines(lines)]), ...(gap ? [CARD.gap(gap)] : [])];
    return [...label, preformatted(text), ...(asides.length ? [words([aside(asides.join(' · '))])] : [])];
  }
  // The room is of UTF-16 units, as Slack counts them: an emoji takes two.
  const tail = Math.floor(most * TAIL);
  const head = wholeCharacter(text, most - tail);
  const end = text.slice(-tail).replace(/^[\uDC00-\uDFFF]/, '');
  const between = text.slice(head, text.length - end.length);
  return [
    ...label,
    preformatted(text.slice(0, head)),
    words([aside(`${CARD.notShown([...between].length)} ${CARD.inAll(sizeText(raw))}`)]),
    preformatted(end),
  ];
}

/** The one difference of an edit, and how far a text goes on out of sight, for a terminal: there an argument is one long line. */
export function shapeTexts(call: ToolCall): string[] {
  const change = changeOf(call.input);
  const gap = Math.max(0, ...argumentsOf(call).map(({ raw }) => gapIn(raw)));
  return [...(change ? [CARD.differs(change.line), change.text] : []), ...(gap ? [CARD.gap(gap)] : [])];
}

/** The longest run of blanks that something stands behind; 0 if none looks like the end. */
export function gapIn(raw: string): number {
  const runs = [...raw.trim().matchAll(/\s{6,}/g)].map(([run]) => run);
  const long = runs.filter((run) => {
    const parts = run.split('\n');
    return parts.length > MANY_EMPTY_LINES || parts.some((part) => part.length >= MANY_BLANKS);
  });
  return Math.max(0, ...long.map(({ length }) => length));
}

export const plain = (text: string): RichTextElement => ({ type: 'text', text: text || ' ' });
export const bold = (text: string): RichTextElement => ({ type: 'text', text: text || ' ', style: { bold: true } });
export const code = (text: string): RichTextElement => ({ type: 'text', text: text || ' ', style: { code: true } });
const aside = (text: string): RichTextElement => ({ type: 'text', text, style: { italic: true } });

export const preformatted = (text: string): RichTextBlockElement => ({
  type: 'rich_text_preformatted',
  elements: [{ type: 'text', text: text || ' ' }],
});

/** Why people are asked, the rule, and what is certain about the call. Reasons that several calls share stand once. */
export function whyBlock(asked: readonly AskedCall[], source: CardSource, room: Room): RichTextBlock {
  const reasons = new Map<string, { readonly call: AskedCall; readonly numbers: number[] }>();
  for (const [index, call] of asked.entries()) {
    const key = JSON.stringify([call.why, call.rule?.id]);
    const known = reasons.get(key);
    if (known) known.numbers.push(index + 1);
    else reasons.set(key, { call, numbers: [index + 1] });
  }
  const isMixed = reasons.size > 1;
  const whys = [...reasons.values()].map(({ call, numbers }) =>
    words([
      bold(CARD.why),
      ...(isMixed ? [plain(`${numbers.join(', ')}: `)] : []),
      plain(shortened(visible(reasonOf(call)), room.why)),
      ...ruleElements(call, source),
    ]),
  );
  const { parts: most = Number.POSITIVE_INFINITY } = room;
  let left = most;
  let unsaid = Math.max(0, whys.length - most);
  const notes = asked.flatMap((call, index) => {
    const parts = noteParts(call, source, room);
    const shown = parts.slice(0, left);
    left -= shown.length;
    unsaid += parts.length - shown.length;
    const number = asked.length > 1 ? [plain(`${index + 1}: `)] : [];
    return shown.length ? [words([bold(CARD.takeNote), ...number, ...joined(shown)])] : [];
  });
  const more = unsaid ? [words([bold(CARD.moreNotes(unsaid))])] : [];
  return { type: 'rich_text', elements: [...whys.slice(0, most), ...notes, ...more] };
}

/** The rule's own reason; where no rule asks, a tool of high severity is one. */
function reasonOf({ why, rule, severity, toolName }: AskedCall): string {
  if (rule) return withoutRule(why, rule) || CARD.ruleAsks;
  const isSevere = isHighSeverity(severity);
  return isSevere ? CARD.severe(severity, toolName) : why;
}

/** The agent reads the rule in the sentence itself; on the card it stands behind it, with its place in the file. */
function withoutRule(why: string, { pattern, source }: NonNullable<AskedCall['rule']>): string {
  const stated = ruleAsks(pattern, source);
  return why.startsWith(stated) ? why.slice(stated.length).trim() : why;
}

function ruleElements({ rule }: AskedCall, { names }: Names): RichTextElement[] {
  if (!rule) return [];
  const at = names?.ruleAt(rule);
  const place = at === undefined ? [] : [plain(`, ${at}`)];
  return [plain(` (${CARD.rule}`), code(shortened(visible(rule.pattern), 120)), ...place, plain(')')];
}

/** Notes about the call that are certain. A call about which nothing is known has no such line. */
function noteParts(asked: AskedCall, source: CardSource, room: Room): RichTextElement[][] {
  const { effect, paths = [], hosts = [], amounts = [], outside, more } = asked.touches ?? {};
  const call = source.proposal.kind === 'tool-call' ? askedCallOf(asked, source.proposal) : undefined;
  // The target of a tool's own argument stands right there.
  const stated = new Set(call && asked.toolName !== 'Bash' ? Object.values((call.input ?? {}) as object) : []);
  const deletions = paths.filter((path) => path.startsWith('deletes '));
  const others = paths.filter((path) => !path.startsWith('deletes ') && !stated.has(path.replace(IMPACT_VERB, '')));
  return [
    ...[...deletions, ...hosts.map(CARD.connectsTo), ...others].map((text) => {
      const [verb = ''] = IMPACT_VERB.exec(text) ?? [];
      return [plain(verb), code(shortened(visible(text.slice(verb.length)), room.why))];
    }),
    ...amounts.map((text) => [plain(shortened(visible(inThousands(text)), room.why))]),
    ...(outside ? [[plain(CARD.leaves)]] : []),
    ...(effect ? [[plain(CARD.effects[effect])]] : []),
    ...(more ? [[plain(CARD.more(more))]] : []),
    ...lookAlikes(call && [call.input, call.cwd ?? '']),
    ...secretsIn(call?.input),
  ];
}

const joined = (parts: readonly RichTextElement[][]): RichTextElement[] =>
  parts.flatMap((part, index) => (index > 0 ? [plain(' · '), ...part] : part));

/** The same notes as one line of plain text, for a terminal; empty where nothing is certain. */
export const noteText = (asked: AskedCall, source: CardSource, room: Room): string =>
  plainText(joined(noteParts(asked, source, room)));

/** Notes about an action that an agent's policy chose; see `actionNoteText` for a terminal. */
export const actionNotes = (action: unknown): RichTextElement[][] => [...lookAlikes(action), ...secretsIn(action)];

export const actionNoteText = (action: unknown): string => actionNotes(action).map(plainText).join(' · ');

const plainText = (elements: readonly RichTextElement[]): string =>
  elements
    .map((element) => ('text' in element ? element.text : ''))
    .join('')
    .replaceAll('\n', '\\u{000a}');

/** Nobody counts the noughts of a long number. Blanks are taken for a decimal sign nowhere. */
const inThousands = (amount: string): string =>
  amount.replace(/(?<= -?)\d{5,}(?=(?:\.\d+)?$)/, (digits) => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ' '));

const MAX_WORDS = 3;

/** Foreign letters among Latin ones: a host, a path or a person may look like another. */
function lookAlikes(value: unknown): RichTextElement[][] {
  // The letter of an escape, as of a line end, is none of the word behind it.
  const text = (JSON.stringify(value) ?? '').replaceAll(/\\(?:u[0-9a-f]{4}|.)/g, ' ');
  const found = mixedWords(text);
  const shown = [...new Set(found)].slice(0, MAX_WORDS).map(aroundLetter);
  return shown.length ? [[plain(CARD.lookAlikes), code(shown.join(' '))]] : [];
}

/** The part of a long path in which the letter is. */
function aroundLetter(word: string): string {
  const from = Math.max(0, word.indexOf('\\u{') - 20);
  return shortened(word.length > 60 && from > 0 ? `…${word.slice(from)}` : word, 60);
}

function secretsIn(value: unknown): RichTextElement[][] {
  const marks = markersIn(JSON.stringify(value) ?? '').length;
  return marks ? [[plain(CARD.secrets(marks))]] : [];
}
