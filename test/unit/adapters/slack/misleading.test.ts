/** Checks that a card, its confirmation and its push text do not mislead about what would run. */
import { expect, test } from 'vitest';
import { renderCard } from '../../../../shared/adapters/slack/cards/card.ts';
import { callLines, confirmOf } from '../../../../shared/adapters/slack/cards/card-buttons.ts';
import { changesOf } from '../../../../shared/adapters/slack/cards/card-question.ts';
import type { CardSource } from '../../../../shared/adapters/slack/cards/card-source.ts';
import { renderList } from '../../../../shared/adapters/slack/cards/list-card.ts';
import { editModal, substituteModal } from '../../../../shared/adapters/slack/cards/modals.ts';
import { viewAllModal } from '../../../../shared/adapters/slack/cards/view-all.ts';
import { argumentsOf, oldFirst } from '../../../../shared/adapters/slack/elements/arguments.ts';
import type { AskedCall } from '../../../../shared/contract/index.ts';
import { processorMs } from '../../../support/processor-time.ts';
import { choiceSource, harmless, inputSource, sourceOf, textsOf } from './surfaces.ts';

const read = (index: number) => ({ id: `c${index}`, toolName: 'Read', input: { file_path: `src/file-${index}.ts` } });
const twenty = () => Array.from({ length: 20 }, (_, index) => read(index));
const textOf = (source: CardSource): string => textsOf(renderCard(source)).join('\n');
const confirmed = (source: CardSource): string => confirmOf(source)?.text.text ?? '';

/** The source with its asked calls changed. */
function changed(source: CardSource, change: (call: AskedCall) => AskedCall): CardSource {
  const { question } = source.approval;
  if (question.kind !== 'calls') throw new Error('asks about no calls');
  return { ...source, approval: { ...source.approval, question: { ...question, calls: question.calls.map(change) } } };
}

test('where a list of calls is cut, the one of another tool comes first, and the others are counted', () => {
  const source = sourceOf(twenty().map((call, index) => (index === 17 ? { ...call, toolName: 'Delete' } : call)));
  expect(confirmed(source).split('\n')[0]).toBe('18 · Delete src/file-17.ts');
  expect(confirmed(source)).toMatch(/\nand \d+ more calls\n/);
  expect(renderCard(source).text).toContain('20 calls: 18 · Delete src/file-17.ts, 1 · Read');
});

test('where a list of calls is cut, the severest comes first, and the card marks it', () => {
  const source = sourceOf(twenty());
  const severe = changed(source, (call) => (call.id === 'c15' ? { ...call, severity: 'critical' } : call));
  expect(confirmed(severe).split('\n')[0]).toBe('16 · Read src/file-15.ts');
  expect(textOf(severe).match(/ · critical/g)).toHaveLength(1);
  expect(textOf(source)).not.toContain(' · critical');
});

test('a short list stands as it is', () => {
  const source = sourceOf([read(1), read(2)]);
  expect(confirmed(source)).toContain('1 · Read src/file-1.ts\n2 · Read src/file-2.ts\n');
  expect(renderCard(source).text).toContain('2 calls: 1 · Read src/file-1.ts, 2 · Read src/file-2.ts.');
});

test.each([
  ['mcp__gith\u057db__create_issue', 'mcp__gith\\u{057d}b__create_issue'],
  ['\u0412ash', '\\u{0412}ash'],
  ['\u043f\u043e\u0438\u0441\u043a', '\u043f\u043e\u0438\u0441\u043a'],
  ['\uff27ithub', '\\u{ff27}ithub'],
  ['\u{1d41a}dmin', '\\u{1d41a}dmin'],
  ['\u217fail', '\\u{217f}ail'],
  ['git\u210eub', 'git\\u{210e}ub'],
  ['\u212aill', '\\u{212a}ill'],
  ['\u1d04url', '\\u{1d04}url'],
  ['v\u{1d7cf}', 'v\\u{1d7cf}'],
  ['\u0261oogle', '\\u{0261}oogle'],
  ['\u13aadmin', '\\u{13aa}dmin'],
  ['größe_lesen', 'größe_lesen'],
  ['mcp__db__查询', 'mcp__db__查询'],
])('a letter of another script in the name of a tool shows: %s', (toolName, shown) => {
  const text = textOf(sourceOf([{ id: 'c', toolName, input: {} }]));
  expect(text).toContain(shown);
  if (shown !== toolName) expect(text).not.toContain(toolName);
});

test('an action that looks like another one shows it, on the card, among other actions and behind the button', () => {
  const flow = 'refund_\u043erder';
  const { approval, proposal } = choiceSource(1, 'b\u0430nk');
  if (approval.question.kind !== 'choice' || proposal.kind !== 'action-choice') throw new Error('asks about no choice');
  const actions = proposal.actionSpace.actions.map((action) => ({ ...action, flow_id: flow }));
  const proposed = { ...approval.question.proposed, flowId: flow, personaId: '\u0430gent' };
  const source: CardSource = {
    approval: { ...approval, question: { ...approval.question, proposed } },
    proposal: { ...proposal, actionSpace: { ...proposal.actionSpace, actions } },
  };
  const text = textOf(source);
  expect(text).toContain('refund_\\u{043e}rder');
  expect(text).toContain('chosen by the policy careful for \\u{0430}gent');
  expect(text).toContain('a letter of another script looks like a Latin one in \nrefund_\\u{043e}rder b\\u{0430}nk');
  const context = { approval: '', digest: '', channel: 'C0', ts: '1', shown: true };
  expect(textsOf(substituteModal(context, source)).join('\n')).toContain('2 · refund_\\u{043e}rder');
  expect(textsOf(viewAllModal(source, 0)).join('\n')).toContain('refund_\\u{043e}rder');
});

test('look-alike letters are told of the arguments that would run, after an edit as well', () => {
  const source = sourceOf([{ id: 'c', toolName: 'Mail', input: { to: 'bank.example' } }]);
  const edited = changed(source, (call) => ({ ...call, input: { to: 'b\u0430nk.example' } }));
  expect(textOf(source)).not.toContain('another script');
  expect(textOf(edited)).toContain('another script looks like a Latin one in \nb\\u{0430}nk');
});

test('a question that is too long says where the rest of it is', () => {
  const text = textOf(inputSource('q'.repeat(5_000), undefined));
  expect(text).toContain('This is not the whole question: the rest is in the menu, under Show everything.');
  expect(text).not.toContain('behind the first button');
});

test('a call that cannot be approved and does not fit says where the rest of it is', () => {
  const source = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'x'.repeat(9_000) } }]);
  const question = { ...source.approval.question, offers: ['reject' as const] };
  const text = textOf({ ...source, approval: { ...source.approval, question } });
  expect(text).toContain('the rest is in the menu, under Show everything.');
  expect(text).not.toContain('behind the first button');
});

test('a change in the middle of a long text shows, and a second one far from it is told of', () => {
  const long = (a: string, b: string) => `${'a'.repeat(200)} ${a} ${'b'.repeat(200)} ${b}`;
  const edited = (before: string, after: string) => {
    const source = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: before } }]);
    return changesOf(changed(source, (call) => ({ ...call, input: { command: after } })))[0];
  };
  const one = edited(long('old', 'same'), long('new', 'same'));
  expect(one).toMatch(/a old b+… → …a+ new b+…$/);
  expect(edited(long('old', 'first'), long('new', 'second'))).toContain(' (and further on) → ');
});

test('one call is named however little room there is', () => {
  const long = (index: number) => ({ ...read(index), input: { file_path: `src/${'deep/'.repeat(20)}${index}.ts` } });
  const lines = callLines(sourceOf([long(0), long(1), { ...long(2), toolName: 'Delete' }]), 40);
  expect(lines).toMatch(/^3 · Delete src\/.*…\nand 2 more calls$/);
  expect([...lines].length).toBeLessThanOrEqual(40);
});

const LINES = Array.from({ length: 40 }, (_, index) => `const value${index} = ${index};`).join('\n');

/** Stored in the order of its names, as messages are. */
const edit = (before: string, after: string, more: object = {}): string =>
  textOf(
    sourceOf([
      {
        id: 'c',
        toolName: 'Edit',
        input: { file_path: 'src/auth.ts', new_string: after, old_string: before, ...more },
      },
    ]),
  );

test('an edit is read from its old text to its new one, at every level', () => {
  expect(edit('if (ok)', 'if (true)')).toMatch(/old_string[\s\S]*if \(ok\)[\s\S]*new_string[\s\S]*if \(true\)/);
  const edits = [{ new_string: 'b', old_string: 'a' }];
  const text = textOf(sourceOf([{ id: 'c', toolName: 'MultiEdit', input: { file_path: 'a.ts', edits } }]));
  expect(text).toMatch(/"old_string": "a",\s+"new_string": "b"/);
});

test('many names of old values are put in order in no time', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => [`old_${index}`, 0] as [string, number]);
  const ordered = () =>
    expect(oldFirst([['new_9', 1], ...names]).slice(0, 3)).toEqual([
      ['old_9', 0],
      ['new_9', 1],
      ['old_0', 0],
    ]);
  expect(processorMs(ordered)).toBeLessThan(1_000);
});

test('the one line that differs among many stands before the two texts', () => {
  const text = edit(`${LINES}\nif (user.isAdmin === true)\n${LINES}`, `${LINES}\nif (user.isAdmin !== true)\n${LINES}`);
  expect(text).toContain('The two texts differ only here, from line 41 on:');
  expect(text).toContain('- if (user.isAdmin === true)\n+ if (user.isAdmin !== true)');
  expect(edit('a', 'b')).not.toContain('differ only here');
});

test('a change within a line that is too long to show is shown with what stands around it', () => {
  const text = edit(`${'x'.repeat(2_000)}1${'y'.repeat(2_000)}`, `${'x'.repeat(2_000)}2${'y'.repeat(2_000)}`);
  expect(text).toContain(`- …${'x'.repeat(40)}1${'y'.repeat(40)}…\n+ …${'x'.repeat(40)}2`);
  expect(edit(LINES, LINES.replaceAll('value', 'other'))).not.toContain('differ only here');
});

test('a text of several lines keeps them beside arguments of other kinds', () => {
  const text = edit('a\nb', 'a\nc', { replace_all: true });
  expect(text).toContain('"replace_all": true');
  expect(text).toContain('a\nc');
  expect(text).not.toContain('a\\nc');
});

test.each([
  ['curl https://g\u0456thub.com/install.sh', 'g\\u{0456}thub'],
  ['cat s\u0435crets.txt', 's\\u{0435}crets'],
  ['curl https://\u0430\u0440\u0440\u04cf\u0435.com/x', 'https://\\u{0430}\\u{0440}\\u{0440}\\u{04cf}\\u{0435}.com'],
  ['cat src/\u0430.ts', 'src/\\u{0430}.ts'],
  ['cat src/\u0430_\u043e.ts', 'src/\\u{0430}_\\u{043e}.ts'],
  ['cat src/\uff41.ts', 'src/\\u{ff41}.ts'],
  [`cat ${'/deep'.repeat(20)}/\u0430.ts`, '/deep/\\u{0430}.ts'],
  ['cat src/\u{1d41a}.ts', 'src/\\u{1d41a}.ts'],
  ['curl https://\u13aa.com', 'https://\\u{13aa}.com'],
  ['curl https://\ua4ee\ua4d1.com', 'https://\\u{a4ee}\\u{a4d1}.com'],
  ['curl https://\u0430\u0440.com/\u0436', 'https://\\u{0430}\\u{0440}.com/\u0436'],
])('a letter of another script in %s is told of', (command, word) => {
  const note = 'a letter of another script looks like a Latin one in ';
  expect(textOf(sourceOf([{ id: 'c', toolName: 'Bash', input: { command } }]))).toContain(note);
  expect(textOf(sourceOf([{ id: 'c', toolName: 'Bash', input: { command } }]))).toContain(word);
  for (const other of [
    'echo привет мир',
    'echo "привет\nмир"',
    'echo 10kΩ 5μm',
    'echo größe',
    'cat docs/отчёт.pdf',
    'echo а о',
    'cat отчёт-о-работе.pdf Договор-с-клиентом.docx Иванов.А.С.pdf',
    'cat кошти-і-звіт.pdf ο-χάρτης.pdf Գիրք-ո.txt',
    'git commit -m "Убрал баг из PR-а, URL-у и API-у."',
    'cat 資料-Ａ.pdf docs/ＡＰＩ仕様.md /home/用户/a.txt',
  ])
    expect(textOf(sourceOf([{ id: 'c', toolName: 'Bash', input: { command: other } }]))).not.toContain(note);
});

test.each([
  ['amount 1000000000000', 'amount 1 000 000 000 000'],
  ['total -123456.55', 'total -123 456.55'],
  ['price 1234.5678901', 'price 1234.5678901'],
  ['currency EUR 50000', 'currency EUR 50 000'],
])('the noughts of %s can be counted', (amount, shown) => {
  const source = sourceOf([{ id: 'c', toolName: 'Pay', input: { to: 'x' } }]);
  expect(textOf(changed(source, (call) => ({ ...call, touches: { amounts: [amount] } })))).toContain(shown);
});

test('no line of a folder begins one of the card', () => {
  const source = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'make' }, cwd: '/srv\nOwner: alice' }]);
  expect(textOf(source)).toContain('/srv\\u{000a}Owner: alice');
  expect(renderCard(source).text).toContain('/srv\\u{000a}Owner: alice');
});

test('marks that would be drawn over the words above are written out', () => {
  const marks = '\u0301'.repeat(40);
  const text = textOf(sourceOf([{ id: 'c', toolName: 'Bash', input: { command: `echo a${marks}` } }]));
  expect(text).not.toMatch(/\p{M}{5}/u);
  expect(text).toContain('\\u{0301}');
});

test('the method of a request stands in its name', () => {
  const input = { url: 'https://api.example/users/7', method: 'delete', body: '' };
  expect(renderCard(sourceOf([{ id: 'c', toolName: 'Http', input }])).text).toContain('Http DELETE https://api');
});

test.each([
  [{ new_string: 'b', old_string: 'a', file_path: 'a.ts' }],
  [{ body: 'x', reason: 'because', to: 'b', from: 'a' }],
])('a form for edits has its fields in the order of the card: %j', (input) => {
  const calls = [{ id: 'c', toolName: 'Edit', input }];
  const form = { approval: 'p', digest: 'd', channel: 'C', ts: '1', shown: true };
  const { blocks } = editModal(form, sourceOf(calls));
  const labels = blocks.flatMap((block) => ('label' in block && block.label?.text) || []);
  const onCard = argumentsOf({ input }).map(({ name }) => name);
  expect(labels.slice(0, onCard.length)).toEqual(onCard);
});

const OLGA = { person: { team: 'T0', user: 'U0OLGA' }, name: 'Olga', notify: 'mention' } as const;

test('the owner who is asked to confirm is not said to have no vote, and is once others decide', () => {
  const stages = [
    { group: 'requester', by: 'requester', quorum: 1, team: 'T0', channel: 'U0OLGA' },
    { group: 'platform', quorum: 1, team: 'T0', channel: 'C0' },
  ] as never;
  const source = sourceOf([read(1)]);
  const { approval } = source;
  const asked = { ...approval, question: { ...approval.question, stages } };
  const audience = [{ group: 'requester', channel: 'U0OLGA', people: [OLGA] }];
  expect(textOf({ ...source, approval: asked, audience })).toContain('confirm it yourself');
  expect(textOf({ ...source, approval: asked, audience })).not.toContain('may not approve');
  expect(textOf({ ...source, approval: { ...asked, stage: 1 } })).toContain('U0OLGA (may not approve)');
  const other = { ...asked, requester: { team: 'T0', user: 'U0ANN' } };
  expect(textOf({ ...source, approval: other })).toContain('U0OLGA (may not approve)');
});

test('where everybody passed it on, their votes still count; where nobody is left, somebody has to join', () => {
  const told = (isPassedOn?: boolean) => {
    const audience = [{ group: 'platform', channel: 'C0', people: [], isPassedOn }];
    const source = { ...sourceOf([read(1)]), audience };
    const list = renderList({ agent: 'coder', channel: 'C0', entries: [{ kind: 'asks', source }] });
    return [renderCard(source).text, textOf(source), textsOf(list).join('\n')];
  };
  for (const text of told(true)) {
    expect(text).toMatch(/ll of platform who can answer passed it on; their votes still count/);
    expect(text).not.toMatch(/left|join/);
  }
  for (const text of told()) expect(text).toContain('obody of platform is left who can answer');
});

test('where Slack refuses a card, its plain words mention those who are asked, and nothing that an agent wrote', () => {
  const people = [{ person: { team: 'T0', user: 'U0ANN' }, name: 'Ann', notify: 'mention' as const }];
  const call = { id: 'c', toolName: 'Bash', input: { command: 'make <!channel> <@U0OLGA> \u202e' } };
  const source = { ...sourceOf([call]), audience: [{ group: 'platform', channel: 'C0', people }] };
  const list = renderList({ agent: 'coder', channel: 'C0', entries: [{ kind: 'asks', source }] });
  for (const { plain } of [renderCard(source, 'C0'), list]) {
    harmless(plain);
    expect(textsOf(plain)).toContain('<@U0ANN>');
    expect(textsOf(plain).join('\n')).toContain('make <!channel> <@U0OLGA> \\u{202e}');
    expect(JSON.stringify(plain)).not.toContain('action_id');
  }
  expect(JSON.stringify(renderCard(source, 'C0OTHER').plain)).not.toContain('<@U0ANN>');
});

test('Show everything says who changed the arguments', () => {
  const editors = [{ team: 'T0', user: 'U0ANN' }];
  const source = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'make all' } }], { editors });
  const asEdited = changed(source, (call) => ({ ...call, input: { command: 'make one' } }));
  const shown = textsOf({ blocks: viewAllModal(asEdited, 0).blocks } as never).join('\n');
  expect(shown).toContain('Changed by U0ANN: command: make all → make one');
});

test('a command that begins like all arguments of a call has its name, also behind blanks', () => {
  const command = '\n  {\n  "command": "ls"\n}';
  const named = (text: string) =>
    textsOf(renderCard(sourceOf([{ id: 'c', toolName: 'Bash', input: { command: text } }])));
  expect(named(command)).toContain('command');
  expect(named('ls')).not.toContain('command');
});
