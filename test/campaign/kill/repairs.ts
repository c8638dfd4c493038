/** Lists, for each function, the scenes in which it repairs something or meets it again. */
import type { GateFunctionName } from '../../../cdk/constructs/functions/function-names.ts';
import {
  anchoredAgain,
  archivedAgain,
  askedAgain,
  askedUnstarted,
  claimedUntold,
  clickedAgain,
  decidedUntold,
  home,
  hookedEdit,
  listedUnsealed,
  otherCall,
  ranAgain,
  redeemedLost,
  redeemedTwice,
  reportedBadly,
  secretRun,
  slackBusy,
  talkedOn,
  unregistered,
  waitBegunAgain,
  webhookRefuses,
  withdrawnTwice,
  withSecret,
} from './again.ts';
import { BEGUN, ENDED, RESULT_PUT, TAKEN } from './doors.ts';
import {
  anew,
  bothUnheard,
  cardLost,
  editUnheard,
  endedAsleep,
  followed,
  halfway,
  hookUnheard,
  lostRun,
  ofNothing,
  placeKept,
  rejectUnheard,
  rowUnreadable,
  sealedUnheard,
  timeGone,
  unreported,
  untold,
  voteUnheard,
  voteUntold,
} from './reconciled.ts';
import type { Scene } from './scenes.ts';

const OF_PERMITS = {
  runTaken: lostRun(TAKEN),
  runBegun: lostRun(BEGUN),
  runEnded: lostRun(ENDED),
  runAnswered: lostRun(RESULT_PUT),
  slotHeld: lostRun(BEGUN, 'Sync'),
  lookBegun: lostRun(BEGUN, 'Look'),
  unreported,
};

const EVALUATE = { askedAgain, otherCall, withSecret, askedUnstarted, claimedUntold, withdrawnTwice };
const CARDS = { slackBusy, cardLost, timeGone, unregistered, home, lookBegun: OF_PERMITS.lookBegun };

export const REPAIRS: Readonly<Partial<Record<GateFunctionName, Readonly<Record<string, Scene>>>>> = {
  reconcile: {
    ...{
      voteUntold,
      voteUnheard,
      rejectUnheard,
      editUnheard,
      sealedUnheard,
      hookUnheard,
      bothUnheard,
    },
    ...{ followed, cardLost, halfway, timeGone, untold, endedAsleep, rowUnreadable, ofNothing, placeKept, anew },
    ...OF_PERMITS,
  },
  evaluate: EVALUATE,
  deliberate: { hookUnheard, hookedEdit },
  'request-approval': { waitBegunAgain },
  resume: { decidedUntold, voteUntold, sealedUnheard, followed },
  'slack-out': CARDS,
  slack: { unregistered, clickedAgain, home },
  converse: { talkedOn },
  redeem: { redeemedTwice, redeemedLost, secretByAgent: secretRun('agent') },
  'execute-tool': { ranAgain, secretByGate: secretRun('gate'), ...OF_PERMITS },
  'record-outcome': { redeemedTwice },
  'collect-outcomes': { reportedBadly },
  'archive-audit': { archivedAgain },
  seal: { anchoredAgain, listedUnsealed },
  'send-webhooks': { webhookRefuses },
};
