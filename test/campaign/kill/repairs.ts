/** Lists the scenes in which each function repairs something or meets it again. */
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
import { BEGUN, ENDED, RESULT_PUT, TAKEN } from './awaits.ts';
import {
  begunDead,
  cancelDead,
  cancelOvertakes,
  decidedDead,
  deferredDead,
  handedOverDead,
  operationDead,
  outcomeDead,
  proposalDead,
  runDead,
  spoiltDead,
  takenDead,
  talkDead,
  waitingDead,
} from './letters.ts';
import { probeLost, stageOver, unstarted } from './outages.ts';
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

const OF_LETTERS = {
  proposalDead,
  spoiltDead,
  decidedDead,
  waitingDead,
  cancelDead,
  cancelOvertakes,
  deferredDead,
  handedOverDead,
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
    ...{ unstarted, stageOver, probeLost },
    ...OF_PERMITS,
  },
  evaluate: EVALUATE,
  deliberate: { hookUnheard, hookedEdit, ...OF_LETTERS },
  'request-approval': { waitBegunAgain },
  resume: { decidedUntold, voteUntold, sealedUnheard, followed },
  'slack-out': CARDS,
  slack: { unregistered, clickedAgain, home },
  converse: { talkedOn, talkDead },
  operate: { operationDead },
  redeem: { redeemedTwice, redeemedLost, secretByAgent: secretRun('agent') },
  'execute-tool': { ranAgain, secretByGate: secretRun('gate'), ...OF_PERMITS, runDead, takenDead, begunDead },
  'record-outcome': { redeemedTwice },
  'collect-outcomes': { reportedBadly, outcomeDead },
  'archive-audit': { archivedAgain },
  seal: { anchoredAgain, listedUnsealed },
  'send-webhooks': { webhookRefuses },
};
