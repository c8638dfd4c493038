/** Makes the pages that several causes raise, so that one fault wakes somebody once. */
import { type AlarmBase, AlarmRule, AlarmState, CompositeAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type AlarmText, type PageName, page, remember, textOf } from './alarm.ts';

const STATUS = 'countersign status, which names the causes that stand';

const PAGES: Readonly<Record<PageName, AlarmText>> = {
  decisions: page('page-decisions', 'Agents get no decisions, or get them late', STATUS),
  clicks: page('page-clicks', 'Clicks in Slack fail, or do not count', STATUS),
  questions: page('page-questions', 'Questions wait for people who cannot see them in Slack', 'countersign pending'),
  repairs: page('page-repairs', 'Nothing ends, reminds or repairs approvals on time', STATUS),
  'dead-letters': page(
    'page-dead-letters',
    'A proposal or a card could not be processed as often as its queue delivers it',
    'countersign dead list',
  ),
};

/** All alarms with the pages that the causes among them raise. In development each cause is a page of its own. */
export function withPages(scope: Construct, alarms: readonly AlarmBase[], development: boolean): AlarmBase[] {
  if (development) {
    for (const alarm of alarms) {
      const text = textOf(alarm);
      if (text.tier === 'cause') remember(alarm, { ...text, tier: 'page' });
    }
    return [...alarms];
  }
  const pages = Object.entries(PAGES).map(([name, text]) => {
    const causes = alarms.filter((alarm) => textOf(alarm).raises === name);
    const alarmRule = AlarmRule.anyOf(...causes.map((one) => AlarmRule.fromAlarm(one, AlarmState.ALARM)));
    return remember(new CompositeAlarm(scope, idOf(name), { alarmRule }), text);
  });
  return [...pages, ...alarms];
}

const idOf = (name: string): string =>
  `${name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}Page`;
