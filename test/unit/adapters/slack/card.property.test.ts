/**
 * Checks that the shown call is the one that runs, whatever agents write (G22, D33).
 *
 * Covers the card and View all.
 */
import type { InputBlock, ModalView } from '@slack/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import {
  editModal,
  passModal,
  rejectModal,
  respondModal,
  sessionModal,
  someModal,
  substituteModal,
} from '../../../../shared/adapters/slack/cards/modals.ts';
import { newsOf } from '../../../../shared/adapters/slack/cards/thread.ts';
import { pagesOf, viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import { argumentsOf, piecesOf } from '../../../../shared/adapters/slack/elements/arguments.ts';
import { visible } from '../../../../shared/adapters/slack/elements/text.ts';
import { CARD } from '../../../../shared/adapters/slack/texts/card.ts';
import { FORMS } from '../../../../shared/adapters/slack/texts/forms.ts';
import type { Decision, ToolCall } from '../../../../shared/contract/index.ts';
import { openTo } from '../../../../shared/domain/approval/approval.ts';
import { parseJson } from '../../../../shared/domain/raw-json.ts';
import { checkBlocks, checkView } from '../../../local/slack/block-kit/check.ts';
import { LIMITS } from '../../../local/slack/block-kit/limits.ts';
import {
  choiceSource,
  DIGEST,
  harmless,
  hostileCalls,
  hostileText,
  inputSource,
  preformattedOf,
  sourceOf,
  unescaped,
  votesSaying,
} from './surfaces.ts';

const bash = (command: string): ToolCall => ({ id: 'c0', toolName: 'Bash', input: { command } });
/** The input that the shown texts of a call stand for. */
function inputFrom(call: ToolCall, texts: string[]): unknown {
  const parts = argumentsOf(call).flatMap(({ name }, index): [string, unknown][] => {
    const text = texts[index] ?? '';
    return name === undefined ? Object.entries(parseJson(text) as object) : [[name, unescaped(text)]];
  });
  return Object.fromEntries(parts);
}

describe('whatever an agent proposes', () => {
  it('the card is one that Slack takes, and nothing in it takes effect', () => {
    fc.assert(
      fc.property(hostileCalls, hostileText(200), hostileText(3_000), (calls, title, description) => {
        const { blocks, text } = renderCard(sourceOf(calls, {}, { title, description }));
        expect(checkBlocks(blocks, 'message', '/blocks')).toEqual([]);
        expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(LIMITS.messageBlocksLength);
        expect(text).not.toMatch(/[<>]/);
        harmless(blocks);
      }),
      { numRuns: 60 },
    );
  });

  it('a card that claims to be whole shows every character, one to one', () => {
    fc.assert(
      fc.property(hostileCalls, (calls) => {
        const { blocks, whole } = renderCard(sourceOf(calls));
        if (!whole) return;
        const texts = preformattedOf(blocks);
        for (const call of calls)
          expect(inputFrom(call, texts.splice(0, argumentsOf(call).length))).toEqual(call.input);
        expect(texts).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('a command that is written like arguments is not the card of a call with these arguments', () => {
    const names: CardSource['names'] = {
      tools: { Pay: { title: 'Pay the order' } },
      ruleAt: () => undefined,
      personName: () => undefined,
      rejectReasons: [],
    };
    const cardOf = (input: unknown) => {
      const { blocks, whole } = renderCard({ ...sourceOf([{ id: 'c0', toolName: 'Pay', input }]), names });
      expect(whole).toBe(true);
      return JSON.stringify(blocks);
    };
    for (const input of [{}, { amount: 1 }, { command: '{}', amount: 1 }])
      expect(cardOf({ command: JSON.stringify(input, null, 2) })).not.toBe(cardOf(input));
  });

  it('View all shows every character, one to one, in pages that Slack takes', () => {
    fc.assert(
      fc.property(hostileCalls, (calls) => {
        const source = sourceOf(calls);
        const pages = pagesOf(source);
        for (const page of pages.keys()) {
          const modal = viewAllModal(source, page);
          expect(checkView(modal, 'modal')).toEqual([]);
          harmless(modal.blocks);
        }
        const wanted = calls.flatMap((call) => [visible(call.cwd ?? ''), ...argumentsOf(call).map(({ text }) => text)]);
        expect(preformattedOf(pages).join('')).toBe(wanted.join(''));
      }),
      { numRuns: 50 },
    );
  });

  it('pieces of a text give it back when joined, and split no character', () => {
    fc.assert(
      fc.property(hostileText(2_000), fc.integer({ min: 2, max: 400 }), (text, most) => {
        const sound = text.toWellFormed();
        const pieces = piecesOf(sound, most);
        expect(pieces.join('')).toBe(sound);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(most);
          expect(piece.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});

describe("what the agent says of a call among the call's arguments", () => {
  const shown = (input: Record<string, unknown>) => argumentsOf({ input }).map(({ name, isSaid }) => [name, isSaid]);

  it('is shown under a label, and after what would run, whatever the order of the arguments', () => {
    expect(shown({ description: 'Safe', command: 'rm -rf build' })).toEqual([
      ['command', undefined],
      ['description', true],
    ]);
    expect(shown({ reason: 'Safe', command: 'ls', timeout: 5 })).toEqual([
      [undefined, undefined],
      ['reason', true],
    ]);
    const call = { id: 'c0', toolName: 'Bash', input: { description: 'Safe', command: 'rm -rf build' } };
    const text = JSON.stringify(renderCard(sourceOf([call])).blocks);
    expect(text.indexOf('rm -rf build')).toBeLessThan(text.indexOf('The agent says (description):'));
  });

  it('is an argument like any other where it is no text, or all there is', () => {
    expect(shown({ description: 'Safe' })).toEqual([['description', undefined]]);
    expect(shown({ description: 5, command: 'ls' })).toEqual([[undefined, undefined]]);
    expect(shown({})).toEqual([[undefined, undefined]]);
  });
});

describe('every other surface', () => {
  const ALICE = { team: 'T0', user: 'U0ALICE' };
  const CONTEXT = { approval: 'a'.repeat(64), digest: DIGEST, channel: 'C0', ts: '1.1', shown: true };
  const modalsOf = (source: CardSource): ModalView[] => [
    rejectModal(CONTEXT, source, openTo(source.approval, { person: ALICE })),
    respondModal(CONTEXT, source),
    editModal(CONTEXT, source),
    substituteModal(CONTEXT, source),
    sessionModal(CONTEXT, source, 1_800_000),
    passModal(CONTEXT, source),
    ...(source.approval.question.kind === 'calls'
      ? [someModal(CONTEXT, source, openTo(source.approval, { person: ALICE }))]
      : []),
    viewAllModal(source, 0),
  ];
  const sources = fc.oneof(
    hostileCalls.map((calls) => sourceOf(calls)),
    fc.tuple(fc.nat(120), hostileText(2_000)).map(([others, text]) => choiceSource(others, text)),
    fc
      .tuple(hostileText(2_900), fc.option(fc.array(hostileText(75).filter(Boolean), { minLength: 1, maxLength: 20 })))
      .map(([question, choices]) => inputSource(question, choices ?? undefined)),
  );

  it('forms, for calls, choices and questions alike', () => {
    fc.assert(
      fc.property(sources, (source) => {
        const { blocks } = renderCard(source);
        expect(checkBlocks(blocks, 'message', '/blocks')).toEqual([]);
        harmless(blocks);
        for (const modal of modalsOf(source)) {
          expect(checkView(modal, 'modal')).toEqual([]);
          harmless(modal.blocks);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('shows votes, and the thread, within limits and as text', () => {
    fc.assert(
      fc.property(hostileText(1_000), hostileCalls, (text, calls) => {
        const votes = votesSaying(text);
        for (const status of ['pending', 'rejected'] as const) {
          const source = sourceOf(calls, { votes, status, withdrawnWhy: text.slice(0, 1_000) });
          const { blocks } = renderCard(source);
          expect(checkBlocks(blocks, 'message', '/blocks')).toEqual([]);
          harmless(blocks);
          const decision = { outcome: 'denied', calls: [], reasonCode: 'rejected' } as unknown as Decision;
          for (const { note } of newsOf({ ...source, decision }, 'C0')) {
            expect(checkBlocks(note.blocks, 'message', '/blocks')).toEqual([]);
            harmless(note.blocks);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('an edit begins with exactly the arguments, and keeps them if nothing is changed', () => {
    fc.assert(
      fc.property(hostileCalls, ([call]) => {
        if (!call) return;
        const source = sourceOf([call]);
        if (!JSON.stringify(renderCard(source).blocks).includes(CARD.buttons.edit)) return;
        const modal = editModal(CONTEXT, source);
        const fields = (modal.blocks as InputBlock[]).flatMap((one) =>
          one.type === 'input' && 'initial_value' in one.element
            ? [{ name: one.label.text, text: String(one.element.initial_value) }]
            : [],
        );
        const isJson = fields.length === 1 && fields[0]?.name === FORMS.edit.json;
        expect(
          isJson ? JSON.parse(fields[0]?.text ?? '') : Object.fromEntries(fields.map(({ name, text }) => [name, text])),
        ).toEqual(call.input);
      }),
      { numRuns: 50 },
    );
  });
});

describe('D33 Approve is offered', () => {
  const offers = (calls: readonly ToolCall[]) => JSON.stringify(renderCard(sourceOf(calls)).blocks);

  const LONG = [bash(`${'echo line\n'.repeat(2_000)}rm -rf /`)];

  it('for what the card shows whole', () => {
    expect(offers([bash('git push origin main')])).toContain('"Approve"');
    expect(offers([bash('git push origin main')])).not.toContain(CARD.buttons.readAll);
  });

  it('not on a card that does not show everything: its first button shows all of it', () => {
    const card = offers(LONG);
    expect(card).not.toContain('"Approve"');
    expect(card).not.toContain('"countersign_approve"');
    expect(card).toContain(CARD.buttons.readAll);
    expect(card).toMatch(/\d+ characters between .*2001 lines · 20008 bytes · SHA-256 [0-9a-f]{64}/);
    expect(card, 'padding does not hide the end').toContain('rm -rf /');
  });

  it('on the last page of all of it, and on no page before', () => {
    const source = sourceOf(LONG);
    const pages = pagesOf(source).map((_, page) => viewAllModal(source, page, { metadata: '{}' }));
    expect(pages.map(({ submit }) => submit?.text)).toEqual([...pages.slice(1).map(() => undefined), 'Approve']);
    expect(viewAllModal(source, 99).submit, 'opened from nowhere').toBeUndefined();
    const rejected = { ...source, approval: { ...source.approval, status: 'rejected' as const } };
    expect(viewAllModal(rejected, 99, { metadata: '{}' }).submit).toBeUndefined();
  });

  it('not for what nobody would read to its end', () => {
    const card = offers([bash('\u0001'.repeat(200_000))]);
    expect(card).not.toContain('"Approve"');
    expect(card).toContain('cannot be approved');
    expect(card).toContain('Reject');
  });

  it('not for a call that is not in the proposal', () => {
    const source = sourceOf([bash('true')]);
    expect(renderCard({ ...source, proposal: sourceOf([]).proposal })).toMatchObject({ approvable: false });
  });
});

it('many lines are counted: what follows them is easily overlooked', () => {
  expect(JSON.stringify(renderCard(sourceOf([bash('ls\n'.repeat(60))])).blocks)).toContain('61 lines');
});
