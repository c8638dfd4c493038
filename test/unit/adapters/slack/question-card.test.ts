/**
 * Tests the card of an agent's question: each question stands there once, and whole.
 *
 * Nothing else of the agent repeats it.
 */
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import { newsOf } from '../../../../shared/adapters/slack/cards/thread.ts';
import type { Question } from '../../../../shared/contract/index.ts';
import { inputSource, sourceOf, textsOf } from './surfaces.ts';

const times = (texts: readonly string[], wanted: string): number =>
  texts.reduce((sum, text) => sum + text.split(wanted).length - 1, 0);

describe('a question', () => {
  test.each([
    ['of one line', 'Which branch shall I use?'],
    ['that the title cannot hold', `Which of these branches shall I use? ${'They differ in much. '.repeat(12)}`.trim()],
    ['of several lines', 'Which branch?\nThe old one, or the new one?'],
    ['with characters that cannot be seen', 'Which \u202ebranch\u202c?'],
  ])('%s stands there once, also if the agent says it again', (_, question) => {
    const source = inputSource(question, undefined);
    const texts = textsOf(renderCard(source).blocks);
    expect(times(texts, question.replace('\u202e', '\\u{202e}').replace('\u202c', '\\u{202c}'))).toBe(1);
    expect(texts[0]).toMatch(/^coder asks: Which/);
  });

  test('leaves other words of the agent where they are', () => {
    const { approval, proposal } = inputSource('Which branch?', ['main', 'next']);
    const source = { approval, proposal: { ...proposal, title: 'Before the release', description: 'Which branch?' } };
    const texts = textsOf(renderCard(source).blocks);
    expect(texts).toContain('Before the release');
    expect(times(texts, 'Which branch?')).toBe(1);
  });
});

const CALL = { id: 'c', toolName: 'Bash', input: {} };

test('a call that is described in its own words is still shown whole', () => {
  const call = { id: 'c', toolName: 'Bash', input: { command: 'git push' } };
  const texts = textsOf(renderCard(sourceOf([call], {}, { description: 'git push' })).blocks);
  expect(texts.filter((text) => text === 'git push')).toHaveLength(2);
});

test.each([
  ['many blanks', `git status${' '.repeat(80)}; rm -rf build`, 'The text goes on behind 80 blanks.'],
  ['many empty lines', `git status${'\n'.repeat(7)}rm -rf build`, 'The text goes on behind 7 blanks.'],
])('text behind %s is told of', (_, command, told) => {
  const texts = (text: string) => textsOf(renderCard(sourceOf([{ ...CALL, input: { command: text } }])).blocks);
  expect(texts(command)).toContain(told);
  expect(texts(`  ${command.replaceAll(/\s+/g, '\n    ')}\n\n`).join('')).not.toContain('goes on behind');
});

describe('who decides', () => {
  const member = (user: string) => ({ person: { team: 'T0', user }, name: user, notify: 'mention' as const });
  const bash = sourceOf([{ id: 'c1', toolName: 'Bash', input: { command: 'git push' } }]);
  const asking = (users: readonly string[], userGroup?: string, source = bash) => {
    const group = { group: 'platform', channel: 'C0', people: users.map(member), ...(userGroup ? { userGroup } : {}) };
    return textsOf(renderCard({ ...source, audience: [group] }).blocks).join('\n');
  };

  test('one person is spoken to as one, several and a user group as several', () => {
    expect(asking(['U1'])).toContain('<@U1>  *you decide* · until');
    expect(asking(['U1', 'U2'])).toContain('<@U1> <@U2>  *one of you decides* · until');
    expect(asking([], 'S1')).toContain('<!subteam^S1>  *one of you decides* · until');
    expect(textsOf(renderCard(bash).blocks).join('\n')).toContain('*one of platform decides* · until');
    expect(asking(['U1'], undefined, inputSource('Which branch?', []))).toContain('<@U1>  *you answer* · until');
  });

  test('one stage of several tells who is asked before it, and who behind it', () => {
    const [first] = bash.approval.question.stages;
    const stages = ['platform', 'security', 'release'].map((group) => ({ ...first, group }));
    const at = (stage: number) => ({
      ...bash,
      approval: { ...bash.approval, stage, question: { ...bash.approval.question, stages } as Question },
    });
    const told = ['stage 1 of 3, before security and release', 'stage 2 of 3, after platform and before release'];
    for (const [stage, text] of [...told, 'stage 3 of 3, after platform and security'].entries()) {
      const list = renderList({ agent: 'coder', channel: 'C0', entries: [{ kind: 'asks', source: at(stage) }] });
      for (const blocks of [renderCard(at(stage)).blocks, list.blocks])
        expect(textsOf(blocks).join('\n')).toContain(text);
    }
  });

  test('where nobody is left who can, the card and its push text say so, and what mends it', () => {
    const empty = { group: 'platform', channel: 'C0', people: [] };
    const nobody = '*nobody of platform is left who can answer: somebody has to join the group* · until';
    expect(asking([])).toContain(nobody);
    const squad = { ...empty, userGroup: 'S1', members: [] };
    expect(textsOf(renderCard({ ...bash, audience: [squad] }).blocks).join('\n')).toContain(nobody);
    expect(renderCard({ ...bash, audience: [empty] }).text).toContain(
      'Nobody of platform is left who can answer until',
    );
    const list = renderList({
      agent: 'coder',
      channel: 'C0',
      entries: [{ kind: 'asks', source: { ...bash, audience: [empty] } }],
    });
    expect(textsOf(list.blocks).join('\n')).toContain('nobody of platform is left');
    // Somebody who is in both groups is named in the first.
    const both = [
      { ...empty, people: [member('U1')] },
      { ...empty, group: 'leads', channel: 'C1' },
    ];
    expect(textsOf(renderCard({ ...bash, audience: both }, 'C1').blocks).join('\n')).not.toContain('is left');
  });

  test('a deadline of another day is told with its day wherever it stands', () => {
    const days = { ...bash.approval, expiresAt: '2026-11-25T10:00:00.000Z', reminders: 1 };
    const source = { ...bash, approval: days };
    const list = renderList({ agent: 'coder', channel: 'C0', entries: [{ kind: 'asks', source }] });
    const [reminder] = newsOf(source, 'C0');
    for (const text of [renderCard(source).text, list.text, reminder?.note.text])
      expect(text).toMatch(/ until 2026-11-25 10:00 UTC\.|Until 2026-11-25 10:00 UTC\./);
    expect(renderCard(bash).text).toMatch(/ until 10:00 UTC\.$/);
  });
});
